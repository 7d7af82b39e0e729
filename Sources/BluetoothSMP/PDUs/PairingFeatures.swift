// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension SMP {
    /// The features that the devices exchange first: the parameters of Pairing Request and Pairing
    /// Response (Vol 3, Part H, 3.5.1 and 3.5.2).
    ///
    /// The bytes are kept unchanged, including reserved values, because both devices use them in
    /// computations and must use the same ones. The state machine decides whether the values are
    /// acceptable.
    package struct PairingFeatures: Hashable, Sendable {
        /// The byte of IO Capability. `ioCapability` is its decoded form.
        package var ioCapabilityByte: UInt8
        /// The byte of the OOB data flag. `hasOutOfBandData` is its decoded form.
        package var outOfBandByte: UInt8
        package var requirements: AuthenticationRequirements
        /// The maximum key size in bytes. Only 7 to 16 are allowed, but any value can arrive.
        package var maximumKeySize: UInt8
        /// The keys that the initiator distributes, or, in a request, can distribute.
        package var initiatorKeys: KeyDistribution
        /// The keys that the responder distributes, or, in a request, is asked to distribute.
        package var responderKeys: KeyDistribution

        package init(
            ioCapability: Pairing.IOCapability,
            hasOutOfBandData: Bool = false,
            requirements: AuthenticationRequirements,
            maximumKeySize: Int = LinkSecurity.keySizeRange.upperBound,
            initiatorKeys: KeyDistribution = [],
            responderKeys: KeyDistribution = []
        ) {
            ioCapabilityByte = ioCapability.rawValue
            outOfBandByte = hasOutOfBandData ? 0x01 : 0x00
            self.requirements = requirements
            self.maximumKeySize = UInt8(clamping: maximumKeySize)
            self.initiatorKeys = initiatorKeys
            self.responderKeys = responderKeys
        }

        init(from reader: inout ByteReader) throws(MalformedBytes) {
            ioCapabilityByte = try reader.readUInt8()
            outOfBandByte = try reader.readUInt8()
            requirements = AuthenticationRequirements(rawValue: try reader.readUInt8())
            maximumKeySize = try reader.readUInt8()
            initiatorKeys = KeyDistribution(rawValue: try reader.readUInt8())
            responderKeys = KeyDistribution(rawValue: try reader.readUInt8())
        }

        /// The input and output capabilities, or `nil` for a reserved value.
        package var ioCapability: Pairing.IOCapability? {
            Pairing.IOCapability(rawValue: ioCapabilityByte)
        }

        /// Whether the device has out-of-band data of its peer, or `nil` for a reserved value.
        package var hasOutOfBandData: Bool? {
            switch outOfBandByte {
            case 0x00: false
            case 0x01: true
            default: nil
            }
        }

        /// The bytes of the parameters, in transmission order.
        package var bytes: [UInt8] {
            [
                ioCapabilityByte, outOfBandByte, requirements.rawValue, maximumKeySize,
                initiatorKeys.rawValue, responderKeys.rawValue,
            ]
        }
    }
}

extension SMP {
    /// The requirements of a device for a pairing: the AuthReq field (Vol 3, Part H, 3.5.1).
    ///
    /// Bits without a name are kept, because both devices use the transmitted byte in computations.
    package struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The device stores keys: value 1 of the two bits of Bonding_Flags. Read these bits with
        /// `isBonding`, because the values 2 and 3 are reserved.
        package static let bonding = AuthenticationRequirements(rawValue: 0x01)
        /// The device requests protection against a man in the middle.
        package static let protection = AuthenticationRequirements(rawValue: 0x04)
        /// The device supports LE Secure Connections.
        package static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
        /// The device requests keypress notifications during passkey entry.
        package static let keypress = AuthenticationRequirements(rawValue: 0x10)
        /// The device supports the function h7, for keys of BR/EDR.
        package static let crossTransport = AuthenticationRequirements(rawValue: 0x20)

        /// Whether keys are stored. A reserved value of the two bits means that they are not.
        package var isBonding: Bool { rawValue & 0x03 == 0x01 }
    }
}

extension SMP {
    /// The keys that a device distributes on the encrypted link (Vol 3, Part H, 3.6.1).
    ///
    /// Bits without a name are kept, because both devices use the transmitted byte in computations.
    package struct KeyDistribution: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The long-term key and its numbers. The bit has no meaning for LE Secure Connections.
        package static let encryptionKey = KeyDistribution(rawValue: 0x01)
        /// The identity resolving key and the identity address.
        package static let identityKey = KeyDistribution(rawValue: 0x02)
        /// The connection signature resolving key.
        package static let signingKey = KeyDistribution(rawValue: 0x04)
        /// The device derives a key of BR/EDR from the long-term key.
        package static let linkKey = KeyDistribution(rawValue: 0x08)
    }
}
