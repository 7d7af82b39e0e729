// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The interval of an advertising set, in 24 bits and steps of 0.625 ms
    /// (Vol 4, Part E, 7.8.53).
    package struct AdvertisingInterval: Hashable, HCIParameters, CustomStringConvertible {
        package let rawValue: UInt32

        /// Makes an interval of the low 24 bits of `rawValue`.
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

    /// What legacy advertising carries: up to 31 octets, in a field that is always full
    /// (Vol 4, Part E, 7.8.7).
    package struct LegacyAdvertisingData: Hashable, HCIParameters, CustomStringConvertible {
        /// The most octets that fit.
        package static let lengthLimit = 31

        package let bytes: [UInt8]

        /// Nil if there are more octets than fit.
        package init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count <= Self.lengthLimit else { return nil }
            self.bytes = Array(bytes)
        }

        /// As many octets as fit.
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

    /// What kind of advertisement an extended report is about, and whether more of it follows
    /// (Vol 4, Part E, 7.7.65.13).
    package struct ExtendedReportType: Hashable, HCIParameters, CustomStringConvertible {
        /// Whether a report holds all there is.
        package enum DataStatus: UInt16, Sendable {
            case complete = 0b00
            /// More reports follow.
            case incomplete = 0b01
            /// There is more, but it was lost; no more reports follow.
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
