// SPDX-License-Identifier: Apache-2.0

extension SMP {
    /// The requirements of a device for a pairing: the AuthReq field (Vol 3, Part H, 3.5.1).
    ///
    /// Bits without a name are kept, because both devices use the transmitted byte in computations.
    package struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The device stores keys: value 1 of the two bits of Bonding_Flags. The other values are
        /// reserved, as `isBonding` describes.
        package static let bonding = AuthenticationRequirements(rawValue: 0x01)
        /// The device requests protection against a man in the middle.
        package static let protection = AuthenticationRequirements(rawValue: 0x04)
        /// The device supports LE Secure Connections.
        package static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
        /// The device requests keypress notifications during passkey entry.
        package static let keypress = AuthenticationRequirements(rawValue: 0x10)
        /// The device supports the function h7, for keys of BR/EDR.
        package static let crossTransport = AuthenticationRequirements(rawValue: 0x20)

        /// Whether keys are stored. A reserved value of the two bits means that they are not.
        package var isBonding: Bool { rawValue & 0x03 == 0x01 }
    }
}
