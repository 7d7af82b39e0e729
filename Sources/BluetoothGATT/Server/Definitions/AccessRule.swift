// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// What a client must have before an attribute gives or takes its value
    /// (Vol 3, Part F, 3.2.5).
    public struct AccessRule: Hashable, Sendable {
        /// The link must be encrypted.
        public var needsEncryption: Bool

        /// The link must be encrypted with a key that was made with protection against a man in the
        /// middle.
        public var needsAuthentication: Bool

        /// The application must have authorized the client.
        public var needsAuthorization: Bool

        /// The shortest key that will do, 7 to 16 octets, where the link must be encrypted.
        public var minimumKeySize: Int

        /// Nothing is asked for.
        public static let open = AccessRule()
        /// An encrypted link is asked for.
        public static let encrypted = AccessRule(needsEncryption: true)
        /// A link encrypted with an authenticated key is asked for.
        public static let authenticated = AccessRule(needsAuthentication: true)
        /// The application's authorization is asked for.
        public static let authorized = AccessRule(needsAuthorization: true)

        /// Makes a rule; by default one that asks for nothing. Authentication includes encryption.
        public init(
            needsEncryption: Bool = false,
            needsAuthentication: Bool = false,
            needsAuthorization: Bool = false,
            minimumKeySize: Int = LinkSecurity.keySizeRange.lowerBound
        ) {
            self.needsEncryption = needsEncryption || needsAuthentication
            self.needsAuthentication = needsAuthentication
            self.needsAuthorization = needsAuthorization
            self.minimumKeySize = minimumKeySize
        }
    }

    /// What may be done with an attribute, and by whom. Permissions are a server's own business:
    /// no client can read them.
    public struct Permissions: Hashable, Sendable {
        /// Who may read; nil for nobody.
        public var read: AccessRule?

        /// Who may write; nil for nobody.
        public var write: AccessRule?

        /// Whom a characteristic's value is notified and indicated to; nil for whoever may read,
        /// or, if nobody may, for everybody. Without meaning on other attributes.
        public var subscribe: AccessRule?

        /// Everybody may read, nobody write.
        public static let readable = Permissions(read: .open)

        /// Makes permissions; what is left out is not permitted.
        public init(
            read: AccessRule? = nil,
            write: AccessRule? = nil,
            subscribe: AccessRule? = nil
        ) {
            self.read = read
            self.write = write
            self.subscribe = subscribe
        }
    }
}

extension GATT.AccessRule {
    /// Why a client is refused; nil if it is not.
    ///
    /// A link that is not encrypted is told to encrypt if a key is shared with the peer already, and
    /// to pair if none is (Vol 3, Part C, 10.3.1). What pairing can mend comes first, and
    /// authorization last: only on a link that is good enough is it known who asks.
    package func refusal(of security: LinkSecurity, isAuthorized: Bool) -> ATT.ErrorCode? {
        if needsEncryption, !security.isEncrypted {
            return security.isBonded ? .insufficientEncryption : .insufficientAuthentication
        }
        if needsAuthentication, !security.isAuthenticated { return .insufficientAuthentication }
        if needsEncryption, security.keySize < minimumKeySize { return .encryptionKeySizeTooShort }
        if needsAuthorization, !isAuthorized { return .insufficientAuthorization }
        return nil
    }
}
