// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Pairing {
    /// The pairings with the method Just Works for which the user is asked for consent. The other
    /// methods have a step of their own that shows the user's intention.
    public enum Consent: Hashable, Sendable {
        /// Pairings that the application has not requested. The user is asked before the host sends
        /// keys, and before it answers a Pairing Request, so that the peer's user sees nothing
        /// before the local user consents.
        case forPeers
        /// All pairings. The application does not know the method when it requests a pairing. With
        /// this value, the user can decline a pairing that does not protect against a man in the
        /// middle.
        ///
        /// With LE Secure Connections, the user is asked at the step in which Numeric Comparison
        /// would show its digits, so that the users of both devices are asked at the same time (Vol
        /// 3, Part H, 2.3.5.6.2). Legacy pairing has no such step, so the user is asked at its
        /// start.
        case always
    }

    /// The requirements of an application for pairing.
    ///
    /// The default permits only LE Secure Connections with keys of full size. Without a delegate
    /// that answers questions (`PairingDelegate`), only a pairing that the application requests can
    /// succeed, and only if it asks no question.
    public struct Policy: Hashable, Sendable {
        /// The capabilities of the application to show numbers and to accept input.
        public var ioCapability = IOCapability.noInputNoOutput

        /// Whether a key is only acceptable if the pairing protected against a man in the middle.
        public var requiresAuthentication = false

        /// Whether to protect against a man in the middle if the capabilities of the two devices
        /// permit it.
        ///
        /// If this and `requiresAuthentication` are `false`, the user compares or enters a number
        /// only if the peer requests protection.
        public var prefersAuthentication = true

        /// The pairings with the method Just Works for which the user is asked for consent, and the
        /// time of that question.
        public var consent = Consent.forPeers

        /// Whether LE Secure Connections is offered. A local request does not offer it if the only
        /// out-of-band data is a temporary key and legacy pairing is allowed.
        ///
        /// If this and `allowsLegacyPairing` are `false`, no pairing is possible. The property
        /// exists so that tests can simulate old devices.
        package var usesSecureConnections = true

        /// Whether legacy pairing is acceptable. Without out-of-band data, an eavesdropper can find
        /// its keys by trying a million passkeys.
        public var allowsLegacyPairing = false

        /// The minimum acceptable key size, 7 to 16 bytes.
        public var minimumKeySize = LinkSecurity.keySizeRange.upperBound

        /// The maximum requested key size, 7 to 16 bytes. If it is less than `minimumKeySize`,
        /// every pairing is refused with Encryption Key Size.
        public var maximumKeySize = LinkSecurity.keySizeRange.upperBound

        /// Whether to store keys for later links, if the peer does so as well.
        public var isBonding = true

        /// The keys to distribute and to request if keys are stored. Keys of BR/EDR are never
        /// included.
        package var keyDistribution: SMP.KeyDistribution = [
            .encryptionKey, .identityKey, .signingKey,
        ]

        /// Whether the devices report the keypresses of a passkey entry to each other, if the peer
        /// supports that (Vol 3, Part H, 3.5.8).
        public var usesKeypressNotifications = false

        /// The methods that are never used, whatever the capabilities of the devices are.
        ///
        /// For example, forbid passkey entry for an accessory that shows a number for comparison. A
        /// man in the middle could otherwise use passkey entry with one device and numeric
        /// comparison with the other.
        public var forbiddenMethods: Set<Method> = []

        /// Whether a new bond may replace a stronger one. A bond is stronger if it has protection
        /// against a man in the middle, LE Secure Connections or a larger key that the new bond
        /// lacks.
        public var allowsWeakerBond = false

        /// The peer's out-of-band data, or `nil` if there is none.
        public var peerOutOfBandData: OutOfBandData?

        /// The local out-of-band data that the peer has, or `nil` if there is none. It is usable
        /// for one pairing, so generate new data for the next.
        public var localOutOfBandData: LocalOutOfBandData?

        /// Whether to use the published debug key, with which a sniffer can decrypt the traffic
        /// (Vol 3, Part H, 2.3.5.6.1). It provides no security, and its bonds are not stored.
        public var usesPublishedDebugKey = false

        /// Creates the default policy.
        public init() {}
    }
}
