// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Pairing {
    /// Out-of-band data as an NFC tag or a file contains it: structures of length, type and value,
    /// as in advertising data (Vol 3, Part C, 11; Supplement, Part A, 1.6, 1.8, 1.16 and 1.17).
    package struct OutOfBandTag: Hashable, Sendable {
        /// The roles that the device supports, and the one that it prefers (Supplement, Part A,
        /// 1.17).
        package enum Role: UInt8, Sendable {
            case onlyPeripheral = 0x00
            case onlyCentral = 0x01
            case ratherPeripheral = 0x02
            case ratherCentral = 0x03
        }

        /// The types of the structures (Assigned Numbers, 2.3).
        private enum Kind: UInt8 {
            case temporaryKey = 0x10
            case address = 0x1B
            case role = 0x1C
            case confirmation = 0x22
            case random = 0x23
        }

        /// The address of the device, or `nil` if the tag does not contain it.
        package var address: DeviceAddress?
        package var role: Role?
        package var data: OutOfBandData

        package init(address: DeviceAddress? = nil, role: Role? = nil, data: OutOfBandData) {
            self.address = address
            self.role = role
            self.data = data
        }

        /// Decodes the structures, and ignores those of other types.
        ///
        /// - Throws: ``MalformedBytes`` if a known structure has the wrong length or an undefined
        ///   value, or occurs twice; if any structure extends beyond the end; or if only one of the
        ///   confirmation and the random number is present.
        package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
            self.init(data: OutOfBandData())
            var reader = ByteReader(bytes)
            var parts: [Kind: [UInt8]] = [:]
            var seen: Set<UInt8> = []
            while !reader.isAtEnd {
                let length = try reader.readUInt8()
                guard length > 0 else { continue }
                var structure = ByteReader(try reader.readBytes(Int(length)))
                guard let kind = Kind(rawValue: try structure.readUInt8()) else { continue }
                guard seen.insert(kind.rawValue).inserted else {
                    throw .invalid(field: "repeated structure")
                }
                try read(kind, from: &structure, into: &parts)
                try structure.finish()
            }
            do throws(OutOfBandData.Flaw) {
                data = try OutOfBandData(
                    confirmation: parts[.confirmation],
                    random: parts[.random],
                    temporaryKey: parts[.temporaryKey]
                )
            } catch {
                throw .invalid(field: "tag: \(error)")
            }
        }

        private mutating func read(
            _ kind: Kind,
            from reader: inout ByteReader,
            into parts: inout [Kind: [UInt8]]
        ) throws(MalformedBytes) {
            switch kind {
            case .temporaryKey, .confirmation, .random:
                parts[kind] = Array(try reader.readBytes(16))
            case .address:
                let bytes = try reader.readBytes(6)
                // The other bits of this byte are reserved (Supplement, Part A, 1.16).
                let kind: DeviceAddress.Kind = try reader.readUInt8() & 1 == 1 ? .random : .public
                address = DeviceAddress(littleEndian: bytes, kind: kind)
            case .role:
                guard let role = Role(rawValue: try reader.readUInt8()) else {
                    throw .invalid(field: "role")
                }
                self.role = role
            }
        }

        package func encode() -> [UInt8] {
            let address = address.map { $0.littleEndianBytes + [$0.kind.rawValue] }
            let parts: [(Kind, [UInt8]?)] = [
                (.address, address), (.role, role.map { [$0.rawValue] }),
                (.temporaryKey, data.temporaryKey), (.confirmation, data.confirmation),
                (.random, data.random),
            ]
            return parts.flatMap { kind, value in
                value.map { [UInt8(clamping: $0.count + 1), kind.rawValue] + $0.prefix(254) } ?? []
            }
        }
    }
}
