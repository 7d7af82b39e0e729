// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Pairing {
    /// What a device hands over by another way than the air, an NFC tag say
    /// (Vol 3, Part H, 2.3.5.6.4 and 2.3.5.4; Supplement to the Core Specification, Part A, 1.16).
    public struct OutOfBandData: Hashable, Sendable {
        /// The confirmation of the device's public key, for LE Secure Connections: 16 octets, least
        /// significant first; nil if there is none.
        public var confirmation: [UInt8]?

        /// The random number of that confirmation: 16 octets, least significant first.
        public var random: [UInt8]?

        /// The temporary key of legacy pairing: 16 octets, least significant first.
        public var temporaryKey: [UInt8]?

        /// Makes what was read elsewhere.
        public init(
            confirmation: [UInt8]? = nil,
            random: [UInt8]? = nil,
            temporaryKey: [UInt8]? = nil
        ) {
            self.confirmation = confirmation
            self.random = random
            self.temporaryKey = temporaryKey
        }
    }

    /// Our side of it: what is handed over, and the private key that belongs to it. Good for one
    /// pairing.
    public struct LocalOutOfBandData: Hashable, Sendable {
        /// What to hand over.
        public let data: OutOfBandData

        /// The private key, most significant octet first.
        let privateKey: [UInt8]
    }
}
