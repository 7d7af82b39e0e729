// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension L2CAP {
    /// The peer's answer to a request for channels (Vol 3, Part A, 4.23 and 4.26).
    public struct ConnectionResult: OpenCode {
        /// The result's number in the response.
        public let rawValue: UInt16

        /// Creates a result from any number, known or unknown.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The channel is open. For a request for several channels: all of them are open.
        public static let success = ConnectionResult(rawValue: 0x0000)
        /// The peer has no listener for this SPSM.
        public static let spsmNotSupported = ConnectionResult(rawValue: 0x0002)
        /// The peer has no resources for the channel. For a request for several channels: for some
        /// of them.
        public static let noResources = ConnectionResult(rawValue: 0x0004)
        /// The link must be authenticated, or no key exists for encrypting it.
        public static let insufficientAuthentication = ConnectionResult(rawValue: 0x0005)
        /// The user must authorize the channel.
        public static let insufficientAuthorization = ConnectionResult(rawValue: 0x0006)
        /// The encryption key is too short.
        public static let insufficientKeySize = ConnectionResult(rawValue: 0x0007)
        /// The link must be encrypted with the shared key.
        public static let insufficientEncryption = ConnectionResult(rawValue: 0x0008)
        /// A source CID is outside of the allowed range.
        public static let invalidSource = ConnectionResult(rawValue: 0x0009)
        /// A source CID belongs to another channel already.
        public static let sourceAlreadyAllocated = ConnectionResult(rawValue: 0x000A)
        /// The listener does not accept the sizes or the credits.
        public static let unacceptableParameters = ConnectionResult(rawValue: 0x000B)
        /// The request has parameters that are not allowed.
        public static let invalidParameters = ConnectionResult(rawValue: 0x000C)
        /// A further response follows.
        public static let pending = ConnectionResult(rawValue: 0x000D)
        /// A further response follows after authentication.
        public static let pendingAuthentication = ConnectionResult(rawValue: 0x000E)
        /// A further response follows after authorization.
        public static let pendingAuthorization = ConnectionResult(rawValue: 0x000F)

        /// Whether another response to the same request follows.
        package var isPending: Bool { (0x000D...0x000F).contains(rawValue) }

        /// The descriptions of the known results.
        public static let names: [UInt16: String] = [
            0x0000: "success",
            0x0002: "the peer has no listener for the SPSM",
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

    /// The peer's answer to a request for other sizes (Vol 3, Part A, 4.28).
    public struct ReconfigurationResult: OpenCode {
        /// The result's number in the response.
        public let rawValue: UInt16

        /// Creates a result from any number, known or unknown.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The new sizes are in effect.
        public static let success = ReconfigurationResult(rawValue: 0x0000)
        /// The request would reduce the MTU of a channel.
        public static let mtuReduction = ReconfigurationResult(rawValue: 0x0001)
        /// The request would reduce the MPS of more than one channel.
        public static let mpsReduction = ReconfigurationResult(rawValue: 0x0002)
        /// The request has a channel that does not exist.
        public static let invalidDestination = ReconfigurationResult(rawValue: 0x0003)
        /// The sizes are outside of the allowed range.
        public static let unacceptableParameters = ReconfigurationResult(rawValue: 0x0004)

        /// The descriptions of the known results.
        public static let names: [UInt16: String] = [
            0x0000: "success",
            0x0001: "the MTU must not shrink",
            0x0002: "the MPS of several channels must not shrink",
            0x0003: "no such channel",
            0x0004: "unacceptable parameters",
        ]
    }
}
