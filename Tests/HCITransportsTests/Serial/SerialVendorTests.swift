// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import Testing

@testable import HCITransports

@Suite("Vendors of serial controllers")
struct SerialVendorTests {
    @Test(
        "Vendors are found by their company identifiers",
        arguments: [
            (0x000F, SerialVendor.broadcom), (0x0131, .broadcom), (0x0009, .broadcom),
            (0x000D, .ti), (0x001D, .qualcomm), (0x0045, .qualcomm), (0x0002, .intel),
            (0x0025, .nxp), (0x0048, .nxp), (0x0030, .st),
            // These companies have published no command that changes the speed: Nordic, Espressif,
            // Realtek, and the Linux Foundation.
            (0x0059, nil), (0x02E5, nil), (0x005D, nil), (0x05F1, nil), (0xFFFF, nil), (0, nil),
        ] as [(UInt16, SerialVendor?)]
    )
    func companies(company: UInt16, vendor: SerialVendor?) {
        #expect(SerialVendor(company: company) == vendor)
    }

    static let commands: [(vendor: SerialVendor, speed: Int, packets: [[UInt8]])] = [
        (
            .broadcom, 921_600,
            [[0x01, 0x18, 0xFC, 0x06, 0x00, 0x00, 0x00, 0x10, 0x0E, 0x00]]
        ),
        (
            .broadcom, 3_000_000,
            [[0x01, 0x18, 0xFC, 0x06, 0x00, 0x00, 0xC0, 0xC6, 0x2D, 0x00]]
        ),
        (
            .broadcom, 4_000_000,
            [
                [0x01, 0x45, 0xFC, 0x01, 0x01],
                [0x01, 0x18, 0xFC, 0x06, 0x00, 0x00, 0x00, 0x09, 0x3D, 0x00],
            ]
        ),
        (.ti, 115_200, [[0x01, 0x36, 0xFF, 0x04, 0x00, 0xC2, 0x01, 0x00]]),
        (.nxp, 3_000_000, [[0x01, 0x09, 0xFC, 0x04, 0xC0, 0xC6, 0x2D, 0x00]]),
        (.qualcomm, 3_000_000, [[0x01, 0x48, 0xFC, 0x01, 0x0E]]),
        (.qualcomm, 115_200, [[0x01, 0x48, 0xFC, 0x01, 0x00]]),
        (.intel, 921_600, [[0x01, 0x05, 0xFC, 0x00], [0x01, 0x06, 0xFC, 0x01, 0x07]]),
        (.st, 460_800, [[0x01, 0x09, 0xFC, 0x01, 0x00]]),
        (.st, 4_000_000, [[0x01, 0x09, 0xFC, 0x01, 0x2B]]),
    ]

    @Test("Each vendor has its own commands to change the speed", arguments: commands)
    func packets(vendor: SerialVendor, speed: Int, packets: [[UInt8]]) throws {
        let commands = try #require(vendor.commands(for: speed))
        #expect(commands.map(\.packet) == packets)
    }

    @Test(
        "The commands are complete HCI commands of the vendor-specific group",
        arguments: SerialVendor.allCases
    )
    func wellFormed(vendor: SerialVendor) throws {
        let speeds = [9_600, 115_200, 921_600, 1_000_000, 2_000_000, 3_000_000, 4_000_000]
        let all = speeds.compactMap { vendor.commands(for: $0) }.joined()
        #expect(!all.isEmpty)
        for command in all {
            let packet = try HCI.Packet(h4: command.packet[...])
            #expect(packet.h4Bytes == command.packet)
            // Vendor-specific commands have the group 0x3F (Vol 4, Part E, 5.4.1).
            #expect(command.opcode >> 10 == 0x3F)
        }
    }

    @Test(
        "Vendors with a code for each speed refuse other speeds",
        arguments: [SerialVendor.qualcomm, .intel, .st]
    )
    func unknownSpeeds(vendor: SerialVendor) {
        #expect(vendor.commands(for: 123_456) == nil)
    }
}
