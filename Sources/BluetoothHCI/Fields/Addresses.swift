// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The type of an address in a parameter (Vol 4, Part E, 7.7.65.2 and 7.7.65.13).
    package struct AddressType: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let `public` = AddressType(rawValue: 0x00)
        package static let random = AddressType(rawValue: 0x01)
        /// A public identity address to which the controller resolved a private address.
        package static let publicIdentity = AddressType(rawValue: 0x02)
        /// A random static identity address to which the controller resolved a private address.
        package static let randomIdentity = AddressType(rawValue: 0x03)
        /// The private target address of a directed advertisement, which the controller could not
        /// resolve.
        package static let unresolved = AddressType(rawValue: 0xFE)
        /// An advertisement without an advertiser address.
        package static let anonymous = AddressType(rawValue: 0xFF)

        package static let names: [UInt8: String] = [
            0x00: "public", 0x01: "random", 0x02: "public identity", 0x03: "random identity",
            0xFE: "unresolved", 0xFF: "anonymous",
        ]
    }

    /// An address with its type, as commands and events carry them: one byte, then six.
    package struct PeerAddress: Hashable, HCIParameters, CustomStringConvertible {
        package let type: AddressType
        /// The 48 bits.
        package let value: UInt64

        package init(type: AddressType, value: UInt64) {
            self.type = type
            self.value = value & 0xFFFF_FFFF_FFFF
        }

        /// Creates the parameter for a command.
        package init(_ address: DeviceAddress) {
            self.init(type: address.kind == .public ? .public : .random, value: address.value)
        }

        /// The value of an address parameter that is not used, all zero.
        package static let none = PeerAddress(type: .public, value: 0)

        /// The address, or `nil` for an anonymous advertisement or an unknown type.
        package var deviceAddress: DeviceAddress? {
            switch type {
            case .public, .publicIdentity: DeviceAddress(value: value, kind: .public)
            case .random, .randomIdentity, .unresolved: DeviceAddress(value: value, kind: .random)
            default: nil
            }
        }

        /// Whether the controller resolved a private address to this identity address.
        package var isIdentity: Bool { type == .publicIdentity || type == .randomIdentity }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            let type: AddressType = try reader.decode()
            self.init(type: type, value: try reader.readInteger(bytes: 6))
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            type.encodeParameters(into: &writer)
            BareAddress(value: value).encodeParameters(into: &writer)
        }

        package var description: String { "\(BareAddress(value: value)) (\(type))" }
    }

    /// A six-byte address without its type.
    package struct BareAddress: Hashable, HCIParameters, CustomStringConvertible {
        /// The 48 bits.
        package let value: UInt64

        package init(value: UInt64) {
            self.value = value & 0xFFFF_FFFF_FFFF
        }

        package init(_ address: DeviceAddress) {
            value = address.value
        }

        /// Returns the address as a device address of the given kind.
        package func deviceAddress(_ kind: DeviceAddress.Kind) -> DeviceAddress {
            DeviceAddress(value: value, kind: kind)
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            value = try reader.readInteger(bytes: 6)
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.write(UInt32(truncatingIfNeeded: value))
            writer.write(UInt16(truncatingIfNeeded: value >> 32))
        }

        package var description: String { deviceAddress(.public).description }
    }

    /// The type of the local address that the controller puts into its packets (Vol 4, Part E,
    /// 7.8.5).
    package struct OwnAddressType: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let `public` = OwnAddressType(rawValue: 0x00)
        package static let random = OwnAddressType(rawValue: 0x01)
        /// A private address that the controller generates, or the public address if it cannot.
        package static let resolvableOrPublic = OwnAddressType(rawValue: 0x02)
        /// A private address that the controller generates, or the random address if it cannot.
        package static let resolvableOrRandom = OwnAddressType(rawValue: 0x03)

        package static let names: [UInt8: String] = [
            0x00: "public", 0x01: "random", 0x02: "resolvable or public",
            0x03: "resolvable or random",
        ]
    }
}
