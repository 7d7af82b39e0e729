// SPDX-License-Identifier: Apache-2.0

/// The protection that a link needs before a server transfers a value or a listener accepts a
/// channel (Vol 3, Part F, 3.2.5; Vol 3, Part C, 10.2 and 10.3).
public struct SecurityRequirement: Hashable, Sendable {
    /// Whether the link must be encrypted.
    public var needsEncryption: Bool

    /// Whether the link must be encrypted with a key from a pairing that protected against a man in
    /// the middle.
    ///
    /// Authentication includes encryption.
    public var needsAuthentication: Bool

    /// Whether the application must have authorized the peer.
    public var needsAuthorization: Bool

    /// The smallest sufficient key size, 7 to 16 bytes.
    ///
    /// The value has no effect unless the requirement includes encryption.
    public var keySizeMinimum: Int

    /// No requirement.
    public static let open = SecurityRequirement()
    /// The link must be encrypted.
    public static let encrypted = SecurityRequirement(needsEncryption: true)
    /// The link must be encrypted with an authenticated key.
    public static let authenticated = SecurityRequirement(needsAuthentication: true)
    /// The application must have authorized the peer.
    public static let authorized = SecurityRequirement(needsAuthorization: true)

    /// Creates a requirement. The default requires nothing.
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
    /// The protection that a link lacks. ATT and L2CAP have an error code for each case.
    package enum Shortfall: Hashable, Sendable, CaseIterable {
        /// No key is shared, or the key is not authenticated. The remedy is pairing.
        case authentication
        /// The link is not encrypted. The remedy is encryption with the shared key.
        case encryption
        /// The key is too short. The remedy is a new pairing.
        case keySize
        /// The application has not authorized the peer.
        case authorization
    }

    /// Returns the protection that a link with this security lacks, or `nil` if the link meets the
    /// requirement.
    ///
    /// The shortfall of an unencrypted link is encryption if the host and the peer already share a
    /// key, and authentication otherwise (Vol 3, Part C, 10.3.1). Authorization comes last, because
    /// the identity of the peer is only certain on a link with sufficient protection.
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
