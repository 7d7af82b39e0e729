// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension SerialVendor {
    /// A vendor's command in the sequence that changes the speed.
    struct Command: Hashable, Sendable {
        let opcode: UInt16
        let parameters: [UInt8]
        /// Whether the controller answers before it changes its speed. If not, the answer arrives
        /// at the new speed or never, and the startup does not wait for it.
        var isAnswered = true

        /// The command as an H4 packet.
        var packet: [UInt8] {
            [
                HCI.PacketType.command.rawValue, UInt8(truncatingIfNeeded: opcode),
                UInt8(opcode >> 8), UInt8(parameters.count),
            ] + parameters
        }
    }

    /// The wait until a controller is ready at the new speed.
    var settlingTime: Duration {
        switch self {
        // The kernel's hci_qca waits 300 ms for the slowest controllers, and hci_intel waits 100
        // ms.
        case .qualcomm: .milliseconds(300)
        case .intel: .milliseconds(100)
        case .broadcom, .ti, .nxp, .st: .milliseconds(50)
        }
    }

    /// Returns the commands that change the controller to this speed, or `nil` if it does not
    /// support the speed.
    func commands(for speed: Int) -> [Command]? {
        switch self {
        case .broadcom: Self.broadcomCommands(speed)
        // HCI_VS_Update_UART_HCI_Baudrate, with the speed as a four-byte number.
        case .ti: [Command(opcode: 0xFF36, parameters: Self.bytes(speed))]
        // Set Operational Speed (NXP UM11628), with the speed as a four-byte number.
        case .nxp: [Command(opcode: 0xFC09, parameters: Self.bytes(speed))]
        case .qualcomm:
            // From the kernel's btqca.h. The answer is a vendor event at the new speed.
            Self.qualcommCodes[speed].map { code in
                [Command(opcode: 0xFC48, parameters: [code], isAnswered: false)]
            }
        case .intel:
            // From the kernel's hci_intel. The speed can only be changed after the version was
            // read.
            Self.intelCodes[speed].map { code in
                [
                    Command(opcode: 0xFC05, parameters: []),
                    Command(opcode: 0xFC06, parameters: [code], isAnswered: false),
                ]
            }
        case .st:
            // From BlueZ's hciattach, which does not wait for an answer either.
            Self.ericssonCodes[speed].map { code in
                [Command(opcode: 0xFC09, parameters: [code], isAnswered: false)]
            }
        }
    }

    /// Returns Update UART Baud Rate: two zero bytes in place of a coded speed, then the speed as a
    /// number. Above 3,000,000 bits per second, the UART first needs its faster clock (the kernel's
    /// hci_bcm).
    private static func broadcomCommands(_ speed: Int) -> [Command] {
        let update = Command(opcode: 0xFC18, parameters: [0, 0] + bytes(speed))
        let fastClock = Command(opcode: 0xFC45, parameters: [1])
        return speed > 3_000_000 ? [fastClock, update] : [update]
    }

    private static func bytes(_ speed: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: speed >> (8 * $0)) }
    }

    private static let qualcommCodes: [Int: UInt8] = [
        115_200: 0, 57_600: 1, 38_400: 2, 19_200: 3, 9_600: 4, 230_400: 5, 250_000: 6,
        460_800: 7, 500_000: 8, 720_000: 9, 921_600: 10, 1_000_000: 11, 1_250_000: 12,
        2_000_000: 13, 3_000_000: 14, 4_000_000: 15, 1_600_000: 16, 3_200_000: 17,
    ]

    private static let intelCodes: [Int: UInt8] = [
        9_600: 0, 19_200: 1, 38_400: 2, 57_600: 3, 115_200: 4, 230_400: 5, 460_800: 6,
        921_600: 7, 1_843_200: 8, 3_250_000: 9, 2_000_000: 10, 3_000_000: 11,
    ]

    private static let ericssonCodes: [Int: UInt8] = [
        57_600: 3, 115_200: 2, 230_400: 1, 460_800: 0, 921_600: 0x20, 2_000_000: 0x25,
        3_000_000: 0x27, 4_000_000: 0x2B,
    ]
}
