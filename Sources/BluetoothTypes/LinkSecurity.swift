// SPDX-License-Identifier: Apache-2.0

/// How well a link is protected, and whether it could be protected better.
///
/// Servers and channels compare it with what they ask for before they give or take anything
/// (Vol 3, Part C, 10.2 and 10.3).
public struct LinkSecurity: Hashable, Sendable {
    /// The shortest and longest encryption keys there are, in octets (Vol 3, Part H, 2.3.4).
    public static let keySizeRange = 7...16

    /// Whether what travels on the link is encrypted.
    public var isEncrypted: Bool

    /// Whether the key was made with protection against a man in the middle.
    public var isAuthenticated: Bool

    /// Whether the key was made by LE Secure Connections.
    public var usesSecureConnections: Bool

    /// The length of the key in octets, 7 to 16; 0 while the link is not encrypted.
    public var keySize: Int

    /// Whether a key that outlives the link is shared with the peer. True as well while the link is
    /// not encrypted yet with that key: a refusal then asks for encryption, not for pairing.
    public var isBonded: Bool

    /// A link without protection, with a peer that no key is shared with.
    public static let none = LinkSecurity()

    /// Makes the description of a link; by default one without any protection.
    public init(
        isEncrypted: Bool = false,
        isAuthenticated: Bool = false,
        usesSecureConnections: Bool = false,
        keySize: Int = 0,
        isBonded: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.usesSecureConnections = usesSecureConnections
        self.keySize = keySize
        self.isBonded = isBonded
    }
}
