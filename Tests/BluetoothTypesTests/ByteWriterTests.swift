// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothTypes

@Suite("Byte writer") struct ByteWriterTests {
    @Test("The writer writes integers least significant byte first") func integers() {
        var writer = ByteWriter(reservingCapacity: 32)
        writer.write(UInt8(1))
        writer.write(Int8(-2))
        writer.write(UInt16(0x0201))
        writer.writeUInt24(0xFF03_0201)
        writer.write(UInt32(0x0403_0201))
        writer.write(UInt64(0x0807_0605_0403_0201))
        writer.write(contentsOf: [7, 8])
        #expect(
            writer.bytes
                == [1, 0xFE, 1, 2, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 7, 8]
        )
    }

    @Test("The reader reads back the integers that the writer wrote") func roundTrip() throws {
        for value in [0, 1, 0x0123_4567_89AB_CDEF, UInt64.max] {
            var writer = ByteWriter()
            writer.write(value)
            writer.write(UInt32(truncatingIfNeeded: value))
            var reader = ByteReader(writer.bytes)
            #expect(try reader.readUInt64() == value)
            #expect(try reader.readUInt32() == UInt32(truncatingIfNeeded: value))
        }
    }
}

@Suite("Hexadecimal digits") struct HexadecimalTests {
    @Test("Each byte is written as two lowercase digits") func spell() {
        #expect([0x00, 0x0A, 0xF0, 0xFF].hexadecimal == "000af0ff")
        #expect([UInt8]().hexadecimal == "")
    }

    @Test("Digits of either case are read") func read() {
        #expect([UInt8](hexadecimal: "00aAfF") == [0, 0xAA, 0xFF])
        #expect([UInt8](hexadecimal: "") == [])
    }

    @Test("Every byte value survives a round trip") func roundTrip() {
        let all = [UInt8](0...255)
        #expect([UInt8](hexadecimal: all.hexadecimal) == all)
    }

    @Test(
        "An odd number of digits and other characters are refused",
        arguments: ["0", "0g", "g0", " 00", "0x00", "00 ", "é0", "١٢", "+1", "-1"]
    )
    func refuse(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
