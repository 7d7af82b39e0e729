// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Pairing {
    /// The data that a device transfers other than over Bluetooth, for example on an NFC tag (Vol
    /// 3, Part H, 2.3.5.6.4 and 2.3.5.4; Core Specification Supplement, Part A, 1.6 and 1.8).
    public struct OutOfBandData: Hashable, Sendable, CustomStringConvertible {
        /// The reason why data cannot be used.
        public enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
            /// A part does not have 16 bytes.
            case wrongLength
            /// The data has only one of the confirmation and the random number.
            case incomplete

            /// A description in one sentence without a period at its end.
            public var description: String {
                switch self {
                case .wrongLength: "each part must have 16 bytes"
                case .incomplete: "the confirmation and the random number must occur together"
                }
            }
        }

        /// The length of each part in bytes.
        private static let length = 16

        /// The confirmation of the device's public key for LE Secure Connections: 16 bytes, least
        /// significant byte first, or `nil` if there is none.
        public let confirmation: [UInt8]?

        /// The random number of the confirmation: 16 bytes, least significant byte first, or `nil`
        /// if there is none.
        public let random: [UInt8]?

        /// The temporary key of legacy pairing: 16 bytes, least significant byte first, or `nil` if
        /// there is none.
        public let temporaryKey: [UInt8]?

        /// Creates data from its parts.
        ///
        /// - Throws: ``Flaw`` if a part does not have 16 bytes, or if only one of the confirmation
        ///   and the random number is present. If unusable data were ignored instead, the pairing
        ///   would protect less than intended.
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

        /// Creates empty data.
        init() {
            confirmation = nil
            random = nil
            temporaryKey = nil
        }

        /// Creates data from values that this device generated.
        fileprivate init(
            confirmation: SMP.Value128,
            random: SMP.Value128,
            temporaryKey: SMP.Value128?
        ) {
            self.confirmation = confirmation.bytes
            self.random = random.bytes
            self.temporaryKey = temporaryKey?.bytes
        }

        /// The names of the present parts, without their values.
        public var description: String {
            let parts = [
                confirmation.map { _ in "confirmation" }, random.map { _ in "random" },
                temporaryKey.map { _ in "temporary key" },
            ]
            return "(" + parts.compactMap { $0 }.joined(separator: ", ") + ")"
        }
    }

    /// The data that the local device transfers, with its private key. It is usable for one
    /// pairing.
    public struct LocalOutOfBandData: Hashable, Sendable, CustomStringConvertible {
        /// The data to transfer to the peer.
        public let data: OutOfBandData

        /// The private key, most significant byte first.
        let privateKey: [UInt8]

        /// Generates a key pair, a random number, and the confirmation of the public key with that
        /// number (Vol 3, Part H, 2.3.5.6.4).
        ///
        /// - Parameters:
        ///   - hasTemporaryKey: Whether to generate a temporary key as well, for legacy pairing.
        ///   - generator: The source of randomness.
        /// - Returns: The data, or `nil` if the generator yields no valid private key, which does
        ///   not happen with the system's generator.
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

        /// The key pair that the data confirms.
        var keyPair: SMP.KeyPair? { SMP.KeyPair(privateKey: privateKey) }

        /// The names of the present parts, without their values.
        public var description: String { data.description }
    }
}
