// SPDX-License-Identifier: Apache-2.0

/// The protection of a link, and whether a key for better protection exists.
///
/// Servers and channels compare it with their requirement before they exchange any data (Vol 3,
/// Part C, 10.2 and 10.3).
public struct LinkSecurity: Hashable, Sendable {
    /// The allowed sizes of an encryption key, in bytes (Vol 3, Part H, 2.3.4).
    public static let keySizeRange = 7...16

    /// Whether the data on the link is encrypted.
    public var isEncrypted: Bool

    /// Whether the pairing that generated the key protected against a man in the middle.
    public var isAuthenticated: Bool

    /// Whether LE Secure Connections generated the key.
    public var usesSecureConnections: Bool

    /// The size of the key in bytes, 7 to 16, or 0 while the link is not encrypted.
    public var keySize: Int

    /// Whether the host and the peer share a key that outlives the link.
    ///
    /// The value is also `true` before the link is encrypted with that key. The server then refuses
    /// a request with an error that asks for encryption, not for pairing.
    public var isBonded: Bool

    /// A link without protection to a peer with which the host shares no key.
    public static let none = LinkSecurity()

    /// Creates the description of a link. The default is a link without protection.
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
