// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Pairing {
    /// What pairing may come to. The default is safe: LE Secure Connections and whole keys only; and
    /// without somebody who answers questions (`PairingDelegate`), nothing at all.
    public struct Policy: Hashable, Sendable {
        /// What the application can show and ask.
        public var ioCapability = IOCapability.noInputNoOutput

        /// Whether a key is only good if a man in the middle would have been noticed.
        public var requiresAuthentication = false

        /// Whether a man in the middle shall be noticed where the capabilities of the two sides allow
        /// it. Without it, and without `requiresAuthentication`, nobody is asked anything unless the
        /// peer wants it.
        public var prefersAuthentication = true

        /// Whether LE Secure Connections are offered. Without them, and without
        /// `allowsLegacyPairing`, there is no pairing; so this is for devices of old that are made
        /// up for tests.
        package var usesSecureConnections = true

        /// Whether legacy pairing is good enough. Whoever listens to it, and tries a million
        /// passkeys, has the keys.
        public var allowsLegacyPairing = false

        /// The shortest key that is good enough, 7 to 16 octets.
        public var minimumKeySize = LinkSecurity.keySizeRange.upperBound

        /// The longest key that is asked for, 7 to 16 octets. Where it is shorter than `minimumKeySize`
        /// every pairing is refused, with Encryption Key Size.
        public var maximumKeySize = LinkSecurity.keySizeRange.upperBound

        /// Whether keys are kept for later links.
        public var isBonding = true

        /// Which keys are handed over and asked for, if any are kept. Those of BR/EDR never are.
        package var keyDistribution: SMP.KeyDistribution = [
            .encryptionKey, .identityKey, .signingKey,
        ]

        /// Whether to tell the peer of every digit that is entered here (Vol 3, Part H, 3.5.8).
        public var usesKeypressNotifications = false

        /// The methods that are not to be used, whatever follows from the capabilities. For an
        /// accessory that shows a number, say, forbid the passkey: a man in the middle may use the
        /// one method with one side and the other with the other.
        public var forbiddenMethods: Set<Method> = []

        /// Whether a bond that was made with protection against a man in the middle, or by LE Secure
        /// Connections, or with a longer key, may make way for a weaker one.
        public var allowsWeakerBond = false

        /// What the peer handed over in another way; nil if nothing.
        public var peerOutOfBandData: OutOfBandData?

        /// What was handed to the peer in another way; nil if nothing. It is good for one pairing:
        /// make it anew for the next.
        public var localOutOfBandData: LocalOutOfBandData?

        /// Uses the private key that the specification prints, so that a sniffer can follow
        /// (Vol 3, Part H, 2.3.5.6.1). It protects nothing, and its bonds are not kept.
        public var usesPublishedDebugKey = false

        /// The default policy.
        public init() {}
    }
}
