// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The interval of an advertising set, in 24 bits and in units of 0.625 ms (Vol 4, Part E,
    /// 7.8.53).
    package struct AdvertisingInterval: Hashable, HCIParameters, CustomStringConvertible {
        package let rawValue: UInt32

        /// Creates an interval from the low 24 bits of `rawValue`.
        package init(rawValue: UInt32) {
            self.rawValue = rawValue & 0xFF_FFFF
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            rawValue = try reader.readUInt24()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.writeUInt24(rawValue)
        }

        package var duration: Duration { .microseconds(Int64(rawValue) * 625) }

        package var description: String { "\(duration)" }
    }

    /// The data of legacy advertising: up to 31 bytes, encoded with zero padding to 31 bytes (Vol
    /// 4, Part E, 7.8.7).
    package struct LegacyAdvertisingData: Hashable, HCIParameters, CustomStringConvertible {
        /// The maximum number of bytes.
        package static let lengthLimit = 31

        package let bytes: [UInt8]

        /// Creates the data, or returns `nil` if there are more bytes than the limit.
        package init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count <= Self.lengthLimit else { return nil }
            self.bytes = Array(bytes)
        }

        /// Creates the data from the leading bytes, up to the limit.
        package init(prefixOf bytes: some Collection<UInt8>) {
            self.bytes = Array(bytes.prefix(Self.lengthLimit))
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            let length = Int(try reader.readUInt8())
            let field = try reader.readBytes(Self.lengthLimit)
            guard length <= Self.lengthLimit else { throw .invalid(field: "data length") }
            bytes = Array(field.prefix(length))
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            let padding = repeatElement(UInt8(0), count: Self.lengthLimit - bytes.count)
            writer.write(UInt8(bytes.count))
            writer.write(contentsOf: bytes)
            writer.write(contentsOf: padding)
        }

        package var description: String { bytes.hexadecimal }
    }

    /// The type of advertisement in an extended report, and whether more data follows (Vol 4, Part
    /// E, 7.7.65.13).
    package struct ExtendedReportType: Hashable, HCIParameters, CustomStringConvertible {
        /// The completeness of the data in a report.
        package enum DataStatus: UInt16, Sendable {
            case complete = 0b00
            /// More reports follow.
            case incomplete = 0b01
            /// The controller lost the rest of the data, and no more reports follow.
            case truncated = 0b10
            case reserved = 0b11
        }

        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package var isConnectable: Bool { rawValue & 1 << 0 != 0 }
        package var isScannable: Bool { rawValue & 1 << 1 != 0 }
        package var isDirected: Bool { rawValue & 1 << 2 != 0 }
        package var isScanResponse: Bool { rawValue & 1 << 3 != 0 }
        package var isLegacy: Bool { rawValue & 1 << 4 != 0 }
        package var dataStatus: DataStatus {
            DataStatus(rawValue: rawValue >> 5 & 0b11) ?? .reserved
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            rawValue = try reader.readUInt16()
        }

        package func encodeParameters(into writer: inout ByteWriter) { writer.write(rawValue) }

        package var description: String {
            var words: [String] = isLegacy ? ["legacy"] : ["extended"]
            if isConnectable { words.append("connectable") }
            if isScannable { words.append("scannable") }
            if isDirected { words.append("directed") }
            if isScanResponse { words.append("scan response") }
            if dataStatus != .complete { words.append("\(dataStatus)") }
            return words.joined(separator: " ")
        }
    }
}
