// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension UInt8: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self = try reader.readUInt8()
    }

    package func encodeParameters(into writer: inout ByteWriter) { writer.write(self) }
}

extension Int8: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self = try reader.readInt8()
    }

    package func encodeParameters(into writer: inout ByteWriter) { writer.write(self) }
}

extension UInt16: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self = try reader.readUInt16()
    }

    package func encodeParameters(into writer: inout ByteWriter) { writer.write(self) }
}

extension UInt64: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self = try reader.readUInt64()
    }

    package func encodeParameters(into writer: inout ByteWriter) { writer.write(self) }
}

/// One byte, 0x00 or 0x01. All other values are reserved.
extension Bool: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        switch try reader.readUInt8() {
        case 0: self = false
        case 1: self = true
        default: throw .invalid(field: "flag")
        }
    }

    package func encodeParameters(into writer: inout ByteWriter) {
        writer.write(UInt8(self ? 1 : 0))
    }
}

/// Codes and bit sets are encoded as their raw value.
extension HCIParameters where Self: RawRepresentable, RawValue: HCIParameters {
    package func encodeParameters(into writer: inout ByteWriter) {
        rawValue.encodeParameters(into: &writer)
    }
}

extension HCIParameters where Self: OpenCode, RawValue: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(rawValue: try reader.decode())
    }
}

extension HCIParameters where Self: OptionSet, RawValue: HCIParameters {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(rawValue: try reader.decode())
    }
}
