// SPDX-License-Identifier: Apache-2.0

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
