// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothTypes

@Suite("Bluetooth UUIDs") struct BluetoothUUIDTests {
    static let custom = "12345678-9ABC-DEF0-1234-56789ABCDEF0"

    @Test("The short forms of a UUID equal the long form") func equality() throws {
        let long = try #require(BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FB"))
        #expect(BluetoothUUID(0x180D) == long)
        #expect(BluetoothUUID(short32: 0x180D) == long)
        #expect(BluetoothUUID("180d") == long)
        #expect(BluetoothUUID("0000180D") == long)
        #expect(Set([BluetoothUUID(0x180D), long]).count == 1)
        #expect(long.short16 == 0x180D)
    }

    @Test("A UUID reports the short forms that it has") func shortForms() throws {
        #expect(BluetoothUUID(short32: 0x1_0000).short16 == nil)
        #expect(BluetoothUUID(short32: 0x1_0000).short32 == 0x1_0000)
        #expect(BluetoothUUID(short32: .max).short32 == .max)
        let custom = try #require(BluetoothUUID(Self.custom))
        #expect(custom.short16 == nil)
        #expect(custom.short32 == nil)
    }

    @Test("A UUID that differs from the base UUID in one digit has no short form")
    func nearMisses() {
        for text in [
            "0000180D-0000-1000-8000-00805F9B34FC", "0000180D-0000-1001-8000-00805F9B34FB",
            "0000180D-0001-1000-8000-00805F9B34FB",
        ] {
            #expect(BluetoothUUID(text)?.short32 == nil)
        }
    }

    @Test("A UUID prints in its shortest form") func description() {
        #expect("\(BluetoothUUID(0x2A))" == "002A")
        #expect("\(BluetoothUUID(short32: 0xABCD_0001))" == "ABCD0001")
        #expect(BluetoothUUID(Self.custom)?.description == Self.custom)
        #expect(BluetoothUUID(Self.custom.lowercased())?.description == Self.custom)
        let zero = "00000000-0000-0000-0000-000000000000"
        #expect(BluetoothUUID(zero)?.description == zero)
        let ones = "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"
        #expect(BluetoothUUID(ones)?.description == ones)
    }

    @Test("A UUID is encoded least significant byte first") func wireForm() throws {
        #expect(BluetoothUUID(0x180D).attBytes == [0x0D, 0x18])
        #expect(BluetoothUUID(short32: 0x1_0000).attBytes.count == 16)
        let custom = try #require(BluetoothUUID(Self.custom))
        #expect(custom.bytes128.hexadecimal == "f0debc9a78563412f0debc9a78563412")
        for uuid in [BluetoothUUID(0x180D), BluetoothUUID(short32: 0xABCD_0001), custom] {
            #expect(BluetoothUUID(littleEndian: uuid.bytes128) == uuid)
            #expect(BluetoothUUID(littleEndian: uuid.attBytes) == uuid)
            #expect(BluetoothUUID("\(uuid)") == uuid)
        }
        #expect(BluetoothUUID(littleEndian: [1, 0, 0xCD, 0xAB])?.short32 == 0xABCD_0001)
    }

    @Test("A UUID has 2, 4 or 16 bytes", arguments: 0...20) func bytes(count: Int) {
        let uuid = BluetoothUUID(littleEndian: [UInt8](repeating: 1, count: count))
        #expect((uuid != nil) == [2, 4, 16].contains(count))
    }

    @Test(
        "Text in another form is not a UUID",
        arguments: [
            "", "1", "180", "180D0", "180D-", "-180D", "18 D", "0x180D", "180G",
            "0000180D-0000-1000-8000-00805F9B34F", "0000180D-0000-1000-8000-00805F9B34FBB",
            "0000180D0000-1000-8000-00805F9B34FB", "0000180D-00001000-8000-0080-5F9B34FB",
            "{0000180D-0000-1000-8000-00805F9B34FB}", "١٢٣٤",
        ]
    )
    func otherText(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test("A UUID parses without its hyphens") func noHyphens() {
        let bare = Self.custom.split(separator: "-").joined()
        #expect(BluetoothUUID(bare)?.description == Self.custom)
    }
}
