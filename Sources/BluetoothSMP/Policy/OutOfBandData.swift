// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Pairing {
    /// What a device hands over by another way than the air, an NFC tag say
    /// (Vol 3, Part H, 2.3.5.6.4 and 2.3.5.4; Supplement to the Core Specification, Part A, 1.16).
    public struct OutOfBandData: Hashable, Sendable, CustomStringConvertible {
        /// Why data cannot be used.
        public enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
            /// A part has not 16 octets.
            case wrongLength
            /// There is only one of confirmation and random number.
            case incomplete

            /// One sentence without a full stop.
            public var description: String {
                switch self {
                case .wrongLength: "each part has 16 octets"
                case .incomplete: "confirmation and random number belong together"
                }
            }
        }

        /// How many octets each part has.
        private static let length = 16

        /// The confirmation of the device's public key, for LE Secure Connections: 16 octets, least
        /// significant first; nil if there is none.
        public let confirmation: [UInt8]?

        /// The random number of that confirmation: 16 octets, least significant first.
        public let random: [UInt8]?

        /// The temporary key of legacy pairing: 16 octets, least significant first.
        public let temporaryKey: [UInt8]?

        /// Makes what was read elsewhere. Throws if a part has not 16 octets, or if there is only one
        /// of confirmation and random number: what cannot be used would otherwise count as nothing,
        /// and the pairing protect less than it was meant to.
        public init(
            confirmation: [UInt8]? = nil,
            random: [UInt8]? = nil,
            temporaryKey: [UInt8]? = nil
        ) throws(Flaw) {
            let parts = [confirmation, random, temporaryKey].compactMap { $0 }
            guard parts.allSatisfy({ $0.count == Self.length }) else { throw .wrongLength }
            guard (confirmation == nil) == (random == nil) else { throw .incomplete }
            self.confirmation = confirmation
            self.random = random
            self.temporaryKey = temporaryKey
        }

        /// Nothing.
        init() {
            confirmation = nil
            random = nil
            temporaryKey = nil
        }

        /// What was made here.
        fileprivate init(
            confirmation: SMP.Value128,
            random: SMP.Value128,
            temporaryKey: SMP.Value128?
        ) {
            self.confirmation = confirmation.bytes
            self.random = random.bytes
            self.temporaryKey = temporaryKey?.bytes
        }

        /// What there is, without the secrets.
        public var description: String {
            let parts = [
                confirmation.map { _ in "confirmation" }, random.map { _ in "random" },
                temporaryKey.map { _ in "temporary key" },
            ]
            return "(" + parts.compactMap { $0 }.joined(separator: ", ") + ")"
        }
    }

    /// Our side of it: what is handed over, and the private key that belongs to it. Good for one
    /// pairing.
    public struct LocalOutOfBandData: Hashable, Sendable, CustomStringConvertible {
        /// What to hand over.
        public let data: OutOfBandData

        /// The private key, most significant octet first.
        let privateKey: [UInt8]

        /// Draws a key pair and a random number, and confirms the one with the other; and draws a
        /// temporary key if legacy pairing shall be possible.
        ///
        /// Nil if the generator gives no number that can be a private key, which the system's does
        /// not do (Vol 3, Part H, 2.3.5.6.4).
        public static func make(
            forLegacyPairing hasTemporaryKey: Bool = false,
            using generator: inout some RandomNumberGenerator
        ) -> LocalOutOfBandData? {
            guard let pair = SMP.KeyPair(using: &generator) else { return nil }
            let random = SMP.Value128(using: &generator)
            let x = pair.publicKey.x
            let data = OutOfBandData(
                confirmation: SMP.Toolbox.f4(x, x, random, 0),
                random: random,
                temporaryKey: hasTemporaryKey ? SMP.Value128(using: &generator) : nil
            )
            return LocalOutOfBandData(data: data, privateKey: pair.privateKey)
        }

        /// The key pair of which the data speaks.
        var keyPair: SMP.KeyPair? { SMP.KeyPair(privateKey: privateKey) }

        /// What there is, without the secrets.
        public var description: String { data.description }
    }
}
