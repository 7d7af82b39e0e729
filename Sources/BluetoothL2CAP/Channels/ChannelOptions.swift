// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension L2CAP {
    /// What this side of a channel can receive. The peer says the same for its side.
    public struct ChannelOptions: Sendable, Equatable {
        /// The longest SDU that we receive, in octets: 23 to 65,535, on an enhanced channel 64 and
        /// up.
        public var mtu: Int
        /// The longest payload of a frame that we receive, in octets: 23 to 65,533, on an enhanced
        /// channel 64 and up. 247 fill the longest packet of a link.
        public var mps: Int
        /// How many frames the peer may be ahead of our reader. A channel begins with as many as
        /// one SDU of `mtu` octets takes, if that is more.
        public var window: Int

        /// Makes options; the defaults suit most.
        public init(mtu: Int = 2_048, mps: Int = 247, window: Int = 32) {
            self.mtu = mtu
            self.mps = mps
            self.window = window
        }

        /// The most frames that a peer can be allowed to be ahead (Vol 3, Part A, 10.1).
        package static let creditLimit = 0xFFFF

        /// The credits that a channel begins with.
        package var initialCredits: Int {
            let octets = mtu + ChannelReceiver.lengthFieldLength
            return min(Self.creditLimit, max(window, (octets + mps - 1) / mps))
        }

        /// Whether a channel of the mode can have these.
        package func isValid(for mode: Mode) -> Bool {
            (mode.sizeMinimum...0xFFFF).contains(mtu)
                && (mode.sizeMinimum...0xFFFD).contains(mps)
                && (1...Self.creditLimit).contains(window)
        }
    }

    /// What a listener asks of the link before it gives a channel (Vol 3, Part C, 10.3.1).
    public struct SecurityRequirement: Sendable, Equatable {
        /// Whether the link must be encrypted.
        public var needsEncryption: Bool
        /// Whether the key must be protected against a man in the middle; implies encryption.
        public var needsAuthentication: Bool
        /// Whether the application must have authorized the peer.
        public var needsAuthorization: Bool
        /// The shortest key that will do, in octets; 7 to 16. Of meaning where encryption is.
        public var keySizeMinimum: Int

        /// Nothing is asked.
        public static let none = SecurityRequirement()
        /// The link must be encrypted.
        public static let encryption = SecurityRequirement(needsEncryption: true)
        /// The link must be encrypted with an authenticated key.
        public static let authentication = SecurityRequirement(needsAuthentication: true)

        /// Makes a requirement; by default of nothing.
        public init(
            needsEncryption: Bool = false,
            needsAuthentication: Bool = false,
            needsAuthorization: Bool = false,
            keySizeMinimum: Int = LinkSecurity.keySizeRange.lowerBound
        ) {
            self.needsEncryption = needsEncryption
            self.needsAuthentication = needsAuthentication
            self.needsAuthorization = needsAuthorization
            self.keySizeMinimum = keySizeMinimum
        }

        /// Why a link that is so protected will not do; nil if it will.
        ///
        /// Without a key there is nothing to encrypt with: the peer is told to pair
        /// (Vol 3, Part C, 10.3.1).
        package func refusal(
            on security: LinkSecurity,
            isAuthorized: Bool
        ) -> ConnectionResult? {
            let wantsKey = needsEncryption || needsAuthentication
            if wantsKey, !security.isEncrypted {
                return security.isBonded ? .insufficientEncryption : .insufficientAuthentication
            }
            if needsAuthentication, !security.isAuthenticated { return .insufficientAuthentication }
            if wantsKey, security.keySize < keySizeMinimum { return .insufficientKeySize }
            return needsAuthorization && !isAuthorized ? .insufficientAuthorization : nil
        }
    }
}
