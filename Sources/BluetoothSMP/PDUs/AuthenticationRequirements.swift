// SPDX-License-Identifier: Apache-2.0

extension SMP {
    /// What a side wants of a pairing, as it travels: AuthReq (Vol 3, Part H, 3.5.1).
    ///
    /// Bits without a name are kept: both sides compute with the octet as it was sent.
    package struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Keys are to be kept: 1 of the two bits of Bonding_Flags. Its other values are reserved,
        /// see `isBonding`.
        package static let bonding = AuthenticationRequirements(rawValue: 0x01)
        /// A man in the middle is to be noticed.
        package static let protection = AuthenticationRequirements(rawValue: 0x04)
        /// The side can pair by LE Secure Connections.
        package static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
        /// Entering a passkey is to be accompanied by keypress notifications.
        package static let keypress = AuthenticationRequirements(rawValue: 0x10)
        /// The side knows the function h7, for keys of BR/EDR.
        package static let crossTransport = AuthenticationRequirements(rawValue: 0x20)

        /// Whether keys are to be kept. A reserved value of the two bits means that they are not.
        package var isBonding: Bool { rawValue & 0x03 == 0x01 }
    }
}
