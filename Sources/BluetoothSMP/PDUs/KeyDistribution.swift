// SPDX-License-Identifier: Apache-2.0

extension SMP {
    /// Which keys a side hands over when the link is encrypted (Vol 3, Part H, 3.6.1).
    ///
    /// Bits without a name are kept: both sides compute with the octet as it was sent.
    package struct KeyDistribution: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The long term key and its name. Without meaning for LE Secure Connections.
        package static let encryptionKey = KeyDistribution(rawValue: 0x01)
        /// The identity resolving key and the identity address.
        package static let identityKey = KeyDistribution(rawValue: 0x02)
        /// The connection signature resolving key.
        package static let signingKey = KeyDistribution(rawValue: 0x04)
        /// A key of BR/EDR is derived from the long term key.
        package static let linkKey = KeyDistribution(rawValue: 0x08)
    }
}
