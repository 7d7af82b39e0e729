// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BluetoothTypes

@Suite("Byte reader") struct ByteReaderTests {
    @Test("The reader reads integers least significant byte first") func integers() throws {
        var reader = ByteReader([1, 0xFE, 1, 2, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try reader.readUInt8() == 1)
        #expect(try reader.readInt8() == -2)
        #expect(try reader.readUInt16() == 0x0201)
        #expect(try reader.readUInt24() == 0x03_0201)
        #expect(try reader.readUInt32() == 0x0403_0201)
        #expect(try reader.readUInt64() == 0x0807_0605_0403_0201)
        #expect(reader.isAtEnd)
        try reader.finish()
    }

    @Test("The reader reads integers of 1 to 8 bytes", arguments: 1...8)
    func widths(bytes: Int) throws {
        var reader = ByteReader([UInt8](repeating: 0xFF, count: bytes))
        let expected = bytes == 8 ? UInt64.max : 1 << UInt64(8 * bytes) - 1
        #expect(try reader.readInteger(bytes: bytes) == expected)
    }

    @Test("A truncated read throws the needed and available counts and consumes nothing")
    func truncated() {
        var reader = ByteReader([1, 2, 3])
        #expect(throws: MalformedBytes.truncated(needed: 4, available: 3)) {
            try reader.readUInt32()
        }
        #expect(throws: MalformedBytes.truncated(needed: 5, available: 3)) {
            try reader.readBytes(5)
        }
        #expect(reader.remaining == 3)
        var empty = ByteReader([UInt8]())
        #expect(throws: MalformedBytes.truncated(needed: 1, available: 0)) {
            try empty.readUInt8()
        }
    }

    @Test("The reader refuses a negative number of bytes") func negative() {
        var reader = ByteReader([1, 2, 3])
        #expect(throws: MalformedBytes.self) { try reader.readBytes(-1) }
        #expect(reader.remaining == 3)
    }

    @Test("The reader returns slices of the bytes that it reads") func slices() throws {
        let bytes: [UInt8] = [9, 1, 2, 3, 4]
        var reader = ByteReader(bytes[1...])
        let slice = try reader.readBytes(2)
        #expect(slice == [1, 2])
        #expect(slice.startIndex == 1)
        #expect(reader.readRemaining() == [3, 4])
        #expect(reader.readRemaining().isEmpty)
        #expect(try reader.readBytes(0).isEmpty)
    }

    @Test("The reader throws if bytes are left over at the end") func trailing() {
        let reader = ByteReader([1, 2])
        #expect(throws: MalformedBytes.trailing(count: 2)) { try reader.finish() }
    }

    @Test("A copy of the reader reads ahead without moving the original") func copies() throws {
        let reader = ByteReader([1, 2])
        var ahead = reader
        _ = try ahead.readUInt16()
        #expect(ahead.isAtEnd)
        #expect(reader.remaining == 2)
    }

    @Test("The errors of the reader have descriptions") func descriptions() {
        let truncated = MalformedBytes.truncated(needed: 4, available: 3)
        #expect("\(truncated)" == "truncated: 4 bytes needed, 3 available")
        #expect("\(MalformedBytes.trailing(count: 2))" == "2 bytes left over")
        let one = MalformedBytes.truncated(needed: 1, available: 0)
        #expect("\(one)" == "truncated: 1 byte needed, 0 available")
        #expect("\(MalformedBytes.trailing(count: 1))" == "1 byte left over")
        #expect("\(MalformedBytes.invalid(field: "flag"))" == "invalid flag")
    }
}
