// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension SMP {
    /// What the two sides tell each other first: the parameters of Pairing Request and Pairing
    /// Response (Vol 3, Part H, 3.5.1 and 3.5.2).
    ///
    /// The octets are kept as they came, reserved values too: both sides compute with them, and
    /// would not agree if one of them tidied up. Whether they can be accepted is for the machine to
    /// say.
    package struct PairingFeatures: Hashable, Sendable {
        /// The octets of the parameters.
        package static let length = 6

        /// The octet of IO Capability; see `ioCapability`.
        package var ioCapabilityOctet: UInt8
        /// The octet of the OOB data flag; see `hasOutOfBandData`.
        package var outOfBandOctet: UInt8
        package var requirements: AuthenticationRequirements
        /// In octets. Only 7 to 16 are allowed; anything may arrive.
        package var maximumKeySize: UInt8
        /// What the initiator hands over; or, in a request, could.
        package var initiatorKeys: KeyDistribution
        /// What the responder hands over; or, in a request, is asked for.
        package var responderKeys: KeyDistribution

        package init(
            ioCapability: Pairing.IOCapability,
            hasOutOfBandData: Bool = false,
            requirements: AuthenticationRequirements,
            maximumKeySize: Int = LinkSecurity.keySizeRange.upperBound,
            initiatorKeys: KeyDistribution = [],
            responderKeys: KeyDistribution = []
        ) {
            ioCapabilityOctet = ioCapability.rawValue
            outOfBandOctet = hasOutOfBandData ? 0x01 : 0x00
            self.requirements = requirements
            self.maximumKeySize = UInt8(clamping: maximumKeySize)
            self.initiatorKeys = initiatorKeys
            self.responderKeys = responderKeys
        }

        init(from reader: inout ByteReader) throws(MalformedBytes) {
            ioCapabilityOctet = try reader.readUInt8()
            outOfBandOctet = try reader.readUInt8()
            requirements = AuthenticationRequirements(rawValue: try reader.readUInt8())
            maximumKeySize = try reader.readUInt8()
            initiatorKeys = KeyDistribution(rawValue: try reader.readUInt8())
            responderKeys = KeyDistribution(rawValue: try reader.readUInt8())
        }

        /// What the side can show and ask; nil for a value that the specification reserves.
        package var ioCapability: Pairing.IOCapability? {
            Pairing.IOCapability(rawValue: ioCapabilityOctet)
        }

        /// Whether the side has data of the other that came another way; nil for a value that the
        /// specification reserves.
        package var hasOutOfBandData: Bool? {
            switch outOfBandOctet {
            case 0x00: false
            case 0x01: true
            default: nil
            }
        }

        /// The octets of the parameters, in the order in which they travel.
        package var bytes: [UInt8] {
            [
                ioCapabilityOctet, outOfBandOctet, requirements.rawValue, maximumKeySize,
                initiatorKeys.rawValue, responderKeys.rawValue,
            ]
        }
    }
}
