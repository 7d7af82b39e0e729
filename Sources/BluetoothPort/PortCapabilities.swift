// SPDX-License-Identifier: Apache-2.0

/// The capabilities of an implementation of the port, in addition to scanning, connecting and using
/// the services of peers.
package struct PortCapabilities: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Scanning for extended advertisements, and connecting to their advertisers.
    package static let extendedAdvertisements = PortCapabilities(rawValue: 1 << 0)
    /// Publishing services.
    package static let server = PortCapabilities(rawValue: 1 << 1)
    /// Advertising.
    package static let advertising = PortCapabilities(rawValue: 1 << 2)
    /// L2CAP channels.
    package static let channels = PortCapabilities(rawValue: 1 << 3)
    /// Bonds that the port lists and removes.
    package static let bonds = PortCapabilities(rawValue: 1 << 4)
    /// Storing records of the application, which last from one launch to the next.
    package static let records = PortCapabilities(rawValue: 1 << 5)
}

/// The reason why a request to the port failed, or a link ended.
package enum PortError: Error, Hashable, Sendable {
    /// The adapter cannot be used now, or was closed. All links have ended.
    case unavailable
    /// The implementation does not have this capability.
    case unsupported(PortCapabilities)
    /// The link ended.
    case linkEnded(Reason)
    /// The adapter or the peer refused the request.
    case refused(Reason)
    /// The time for the request is over.
    case timedOut
    /// The adapter did not answer.
    case unanswered
    /// The link to a bonded peer is not encrypted.
    case notEncrypted
    /// There is no space for another bond.
    case tooManyBonds
    /// Too many requests are pending.
    case tooManyRequests
    /// A queue, a table or the store is full.
    case outOfSpace
    /// Another reason, in words.
    case other(String)

    /// The reason why a link ended or a request was refused. Reasons that applications cannot
    /// distinguish are `unknown`.
    package enum Reason: Hashable, Sendable {
        /// The peer no longer answered.
        case timeout
        /// The peer ended the link.
        case endedByPeer
        /// The link could not be established.
        case notEstablished
        /// The peer has lost the keys of the bond.
        case keyMissing
        /// The link could not be encrypted.
        case notEncrypted
        /// There are too many connections.
        case limitReached
        /// Another reason.
        case unknown
    }
}
