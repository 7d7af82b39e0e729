// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothTypes

@Suite("Device addresses") struct DeviceAddressTests {
    @Test("An address prints its most significant byte first and is encoded in reverse")
    func forms() throws {
        let address = try #require(DeviceAddress("C4:F0:0a:00:00:01", kind: .random))
        #expect(address.value == 0xC4F0_0A00_0001)
        #expect(address.littleEndianBytes == [1, 0, 0, 0x0A, 0xF0, 0xC4])
        #expect("\(address)" == "C4:F0:0A:00:00:01")
        #expect(DeviceAddress(littleEndian: address.littleEndianBytes, kind: .random) == address)
    }

    @Test("Two addresses that differ only in their kind are not equal") func kind() {
        #expect(
            DeviceAddress(value: 1, kind: .public) != DeviceAddress(value: 1, kind: .random)
        )
    }

    @Test("An address has 48 bits") func width() {
        #expect(DeviceAddress(value: .max, kind: .public).value == 0xFFFF_FFFF_FFFF)
        #expect(DeviceAddress(littleEndian: [1, 2, 3, 4, 5], kind: .public) == nil)
        #expect(DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6, 7], kind: .public) == nil)
    }

    @Test(
        "Text in another form is not an address",
        arguments: [
            "", "C4:F0:00:00:00", "C4:F0:00:00:00:01:02", "C4F000000001", "C4-F0-00-00-00-01",
            "C4:F0:00:00:00:0G", "C4:F0:00:00:0:001", ":C4:F0:00:00:00:01", "C4:F0:00:00:00:01 ",
        ]
    )
    func otherText(text: String) {
        #expect(DeviceAddress(text, kind: .public) == nil)
    }

    @Test(
        "The two highest bits of a random address determine its kind",
        arguments: [
            (0xC0, DeviceAddress.RandomKind.static), (0x40, .resolvablePrivate),
            (0x00, .nonResolvablePrivate), (0x80, .reserved),
        ] as [(UInt64, DeviceAddress.RandomKind)]
    )
    func randomKind(top: UInt64, kind: DeviceAddress.RandomKind) {
        #expect(DeviceAddress(value: top << 40 | 5, kind: .random).randomKind == kind)
        #expect(DeviceAddress(value: top << 40 | 5, kind: .public).randomKind == nil)
    }

    @Test("The random part of a new random static address is never all zeros or all ones")
    func randomStatic() {
        for value in [0, UInt64.max, 0x0123_4567_89AB_CDEF] {
            var generator = Stepping(state: value)
            let address = DeviceAddress.randomStatic(using: &generator)
            #expect(address.randomKind == .static)
            let random = address.value & 0x3FFF_FFFF_FFFF
            #expect(random != 0 && random != 0x3FFF_FFFF_FFFF)
        }
    }

    private struct Stepping: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            defer { state = state &* 6_364_136_223_846_793_005 &+ 1 }
            return state
        }
    }
}
