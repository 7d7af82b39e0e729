// SPDX-License-Identifier: Apache-2.0

/// What a link must have before a server gives or takes a value, or a listener gives a channel
/// (Vol 3, Part F, 3.2.5; Vol 3, Part C, 10.2 and 10.3).
public struct SecurityRequirement: Hashable, Sendable {
    /// Whether the link must be encrypted.
    public var needsEncryption: Bool

    /// Whether the link must be encrypted with a key that was made with protection against a man in
    /// the middle. Includes encryption.
    public var needsAuthentication: Bool

    /// Whether the application must have authorized the peer.
    public var needsAuthorization: Bool

    /// The shortest key that will do, 7 to 16 octets; without meaning where no encryption is asked
    /// for.
    public var keySizeMinimum: Int

    /// Nothing is asked for.
    public static let open = SecurityRequirement()
    /// An encrypted link is asked for.
    public static let encrypted = SecurityRequirement(needsEncryption: true)
    /// A link encrypted with an authenticated key is asked for.
    public static let authenticated = SecurityRequirement(needsAuthentication: true)
    /// The application's authorization is asked for.
    public static let authorized = SecurityRequirement(needsAuthorization: true)

    /// Makes a requirement; by default one that asks for nothing.
    public init(
        needsEncryption: Bool = false,
        needsAuthentication: Bool = false,
        needsAuthorization: Bool = false,
        keySizeMinimum: Int = LinkSecurity.keySizeRange.lowerBound
    ) {
        self.needsEncryption = needsEncryption || needsAuthentication
        self.needsAuthentication = needsAuthentication
        self.needsAuthorization = needsAuthorization
        self.keySizeMinimum = keySizeMinimum
    }
}

extension SecurityRequirement {
    /// What a link lacks, by what would mend it. ATT and L2CAP have a code of their own for each.
    package enum Shortfall: Hashable, Sendable, CaseIterable {
        /// A key, or one that was made with protection: pair.
        case authentication
        /// Encryption, with the key that both have.
        case encryption
        /// A key that is long enough: pair again.
        case keySize
        /// The application's leave.
        case authorization
    }

    /// What a link that is so protected lacks; nil if it will do.
    ///
    /// A link that is not encrypted is told to encrypt if a key is shared with the peer already, and
    /// to pair if none is (Vol 3, Part C, 10.3.1). What pairing can mend comes first, and
    /// authorization last: only on a link that is good enough is it known who asks.
    package func shortfall(of security: LinkSecurity, isAuthorized: Bool) -> Shortfall? {
        let needsKey = needsEncryption || needsAuthentication
        if needsKey, !security.isEncrypted {
            return security.isBonded ? .encryption : .authentication
        }
        if needsAuthentication, !security.isAuthenticated { return .authentication }
        if needsKey, security.keySize < keySizeMinimum { return .keySize }
        return needsAuthorization && !isAuthorized ? .authorization : nil
    }
}
