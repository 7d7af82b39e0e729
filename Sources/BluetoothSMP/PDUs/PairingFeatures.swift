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

        /// The input and output capabilities, or nil for a reserved value.
        package var ioCapability: Pairing.IOCapability? {
            Pairing.IOCapability(rawValue: ioCapabilityByte)
        }

        /// Whether the device has out-of-band data of its peer, or nil for a reserved value.
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
