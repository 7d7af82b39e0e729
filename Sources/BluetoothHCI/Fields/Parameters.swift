// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A value with one form in the parameters of a command or an event: a single field, a group of
/// fields that travels together, or all the parameters of a packet (Vol 4, Part E, 5.2).
package protocol HCIParameters: Sendable, Equatable {
    /// Reads the value and leaves what follows it; throws if the bytes do not spell one.
    init(from reader: inout ByteReader) throws(MalformedBytes)

    /// Appends the value as it travels.
    func encodeParameters(into writer: inout ByteWriter)
}

extension HCIParameters {
    /// Decodes bytes that hold this value and nothing else; throws if any are left over.
    package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// The value as it travels.
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

    /// Reads an octet that counts bytes, then those bytes.
    mutating func decodeCountedBytes() throws(MalformedBytes) -> ArraySlice<UInt8> {
        try readBytes(Int(try readUInt8()))
    }

    /// Reads an octet that counts values, then those values.
    mutating func decodeCountedValues<Value: HCIParameters>() throws(MalformedBytes) -> [Value] {
        try decodeValues(count: Int(try readUInt8()))
    }

    /// Reads `count` values, one after the other.
    mutating func decodeValues<Value: HCIParameters>(
        count: Int
    ) throws(MalformedBytes) -> [Value] {
        var values: [Value] = []
        // A count that lies must not reserve memory: no value is smaller than an octet.
        values.reserveCapacity(min(count, remaining))
        for _ in 0..<count { values.append(try decode()) }
        return values
    }
}

extension ByteWriter {
    /// Writes the values one after the other.
    mutating func encode<each Value: HCIParameters>(_ values: repeat each Value) {
        repeat (each values).encodeParameters(into: &self)
    }

    /// Writes the number of bytes as one octet, then the bytes.
    ///
    /// No more than 255 fit; the caller's types keep within that, and what does not fit is cut off.
    mutating func encodeCountedBytes(_ bytes: ArraySlice<UInt8>) {
        write(UInt8(clamping: bytes.count))
        write(contentsOf: bytes.prefix(Int(UInt8.max)))
    }

    /// Writes the number of values as one octet, then the values; at most 255 of them.
    mutating func encodeCountedValues(_ values: [some HCIParameters]) {
        write(UInt8(clamping: values.count))
        for value in values.prefix(Int(UInt8.max)) { value.encodeParameters(into: &self) }
    }
}
