// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension L2CAP {
    /// What a peer says to the wish for a channel (Vol 3, Part A, 4.23 and 4.26).
    public struct ConnectionResult: OpenCode {
        /// The number on the wire.
        public let rawValue: UInt16

        /// Makes the result of any number.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The channel is open; of several, each.
        public static let success = ConnectionResult(rawValue: 0x0000)
        /// Nobody listens for this SPSM.
        public static let spsmNotSupported = ConnectionResult(rawValue: 0x0002)
        /// There is no room; of several, for some.
        public static let noResources = ConnectionResult(rawValue: 0x0004)
        /// The link must be authenticated, or there is no key to encrypt it with.
        public static let insufficientAuthentication = ConnectionResult(rawValue: 0x0005)
        /// The user has to allow it.
        public static let insufficientAuthorization = ConnectionResult(rawValue: 0x0006)
        /// The key is too short.
        public static let insufficientKeySize = ConnectionResult(rawValue: 0x0007)
        /// The link must be encrypted, with the key that both have.
        public static let insufficientEncryption = ConnectionResult(rawValue: 0x0008)
        /// A source CID is none that a channel can have.
        public static let invalidSource = ConnectionResult(rawValue: 0x0009)
        /// A source CID belongs to another channel.
        public static let sourceAlreadyAllocated = ConnectionResult(rawValue: 0x000A)
        /// The sizes or credits do not suit who listens.
        public static let unacceptableParameters = ConnectionResult(rawValue: 0x000B)
        /// The request is not one that there can be.
        public static let invalidParameters = ConnectionResult(rawValue: 0x000C)
        /// The answer follows.
        public static let pending = ConnectionResult(rawValue: 0x000D)
        /// The answer follows after authentication.
        public static let pendingAuthentication = ConnectionResult(rawValue: 0x000E)
        /// The answer follows after authorization.
        public static let pendingAuthorization = ConnectionResult(rawValue: 0x000F)

        /// Whether another response to the same request follows.
        package var isPending: Bool { (0x000D...0x000F).contains(rawValue) }

        /// What each number says.
        public static let names: [UInt16: String] = [
            0x0000: "success",
            0x0002: "nobody listens for the SPSM",
            0x0004: "no resources",
            0x0005: "insufficient authentication",
            0x0006: "insufficient authorization",
            0x0007: "the encryption key is too short",
            0x0008: "insufficient encryption",
            0x0009: "invalid source CID",
            0x000A: "source CID already allocated",
            0x000B: "unacceptable parameters",
            0x000C: "invalid parameters",
            0x000D: "pending",
            0x000E: "authentication pending",
            0x000F: "authorization pending",
        ]
    }

    /// What a peer says to the wish for other sizes (Vol 3, Part A, 4.28).
    public struct ReconfigurationResult: OpenCode {
        /// The number on the wire.
        public let rawValue: UInt16

        /// Makes the result of any number.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The sizes hold from now on.
        public static let success = ReconfigurationResult(rawValue: 0x0000)
        /// The MTU of a channel would shrink.
        public static let mtuReduction = ReconfigurationResult(rawValue: 0x0001)
        /// The MPS of several channels would shrink at once.
        public static let mpsReduction = ReconfigurationResult(rawValue: 0x0002)
        /// There is no such channel.
        public static let invalidDestination = ReconfigurationResult(rawValue: 0x0003)
        /// The sizes are none that there can be.
        public static let unacceptableParameters = ReconfigurationResult(rawValue: 0x0004)

        /// What each number says.
        public static let names: [UInt16: String] = [
            0x0000: "success",
            0x0001: "the MTU must not shrink",
            0x0002: "the MPS of several channels must not shrink",
            0x0003: "no such channel",
            0x0004: "unacceptable parameters",
        ]
    }
}
