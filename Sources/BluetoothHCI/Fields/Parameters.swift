// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A value with a defined encoding in commands or events: a single field, a group of fields, or all
/// parameters of a packet (Vol 4, Part E, 5.2).
package protocol HCIParameters: Sendable, Equatable {
    /// Reads the value and leaves the bytes after it unread.
    ///
    /// - Throws: ``MalformedBytes`` if the bytes do not encode a value.
    init(from reader: inout ByteReader) throws(MalformedBytes)

    /// Appends the encoded value.
    func encodeParameters(into writer: inout ByteWriter)
}

extension HCIParameters {
    /// Decodes bytes that contain this value and nothing else.
    ///
    /// - Throws: ``MalformedBytes`` if the bytes do not encode a value or bytes remain after it.
    package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// The encoded value.
    package var encodedParameters: [UInt8] {
        var writer = ByteWriter()
        encodeParameters(into: &writer)
        return writer.bytes
    }
}

extension ByteReader {
    /// Reads one value of the type that the caller expects.
    mutating func decode<Value: HCIParameters>() throws(MalformedBytes) -> Value {
        try Value(from: &self)
    }

    /// Reads a byte that gives a number of bytes, then those bytes.
    mutating func decodeCountedBytes() throws(MalformedBytes) -> ArraySlice<UInt8> {
        try readBytes(Int(try readUInt8()))
    }

    /// Reads a byte that gives a number of values, then those values.
    mutating func decodeCountedValues<Value: HCIParameters>() throws(MalformedBytes) -> [Value] {
        try decodeValues(count: Int(try readUInt8()))
    }

    /// Reads `count` consecutive values.
    mutating func decodeValues<Value: HCIParameters>(
        count: Int
    ) throws(MalformedBytes) -> [Value] {
        var values: [Value] = []
        // A false count must not reserve memory. No value is smaller than one byte, so the
        // remaining bytes limit the capacity.
        values.reserveCapacity(min(count, remaining))
        for _ in 0..<count { values.append(try decode()) }
        return values
    }
}

extension ByteWriter {
    /// Writes consecutive values.
    mutating func encode<each Value: HCIParameters>(_ values: repeat each Value) {
        repeat (each values).encodeParameters(into: &self)
    }

    /// Writes the number of bytes as one byte, then the bytes.
    ///
    /// The function drops bytes beyond the limit of 255.
    mutating func encodeCountedBytes(_ bytes: ArraySlice<UInt8>) {
        write(UInt8(clamping: bytes.count))
        write(contentsOf: bytes.prefix(Int(UInt8.max)))
    }

    /// Writes the number of values as one byte, then the values. The function drops values beyond
    /// the limit of 255.
    mutating func encodeCountedValues(_ values: [some HCIParameters]) {
        write(UInt8(clamping: values.count))
        for value in values.prefix(Int(UInt8.max)) { value.encodeParameters(into: &self) }
    }
}
