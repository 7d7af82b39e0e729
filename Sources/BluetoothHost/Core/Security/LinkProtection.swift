// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

/// The protection of one link, and the steps under way to improve it.
struct LinkProtection: Sendable {
    /// A key that the host gave the controller for the link, and its strength.
    struct Key: Sendable, Equatable {
        enum Origin: Sendable, Equatable {
            case bond
            /// A pairing whose keys are not stored.
            case pairing
            /// A pairing that has yet to succeed.
            case unfinishedPairing
        }
        let origin: Origin
        let strength: LinkSecurity
    }

    /// A request, or an operation of the host, that waits until the link is protected.
    struct Waiter: Sendable {
        let id: UInt64
        let policy: Pairing.Policy
        /// Whether a pairing was begun for the request.
        var hasBegunPairing = false
    }

    /// The maximum number of unsent PDUs of the Security Manager. At the limit, the host ignores
    /// further PDUs of the peer.
    static let outgoingLimit = 32
    /// The maximum number of requests that wait until the link is protected. Further requests are
    /// refused.
    static let waiterLimit = 64

    /// The Security Manager; `nil` until its first input.
    var manager: SecurityManager?
    /// The frames to be sent on the Security Manager's channel.
    var outgoing: [[UInt8]] = []
    /// The end of the last frame with a key that went to the transmit queue, as
    /// `ACLTransmitQueue.end(of:on:)` returned it.
    var lastKeyEnd = 0

    /// The key that the host gave the controller last, until the controller has reported the
    /// result.
    var offered: Key?
    /// The key that encrypts the link, or `nil` while the link is not encrypted.
    var inForce: Key?

    /// Whether the peer has proved its identity, by encrypting with its bond or by a later pairing.
    var isIdentityVerified = false
    /// The requests that wait until the peer has proved its identity.
    var held = HeldRequests()
    /// The time at which a peripheral reminds the central to encrypt.
    var reminderDueAt: Instant?

    var waiters: [Waiter] = []
    /// Whether this host began the pairing under way.
    var isOwnPairing = false
    /// Whether the pairing under way asks a person a question, or shows digits.
    var hasQuestion = false
    /// Whether the host must refuse the pairing under way, because it had a question while a person
    /// was occupied with another link.
    var mustRefuseQuestion = false
    /// The bond of a completed pairing, until the store has confirmed it. The link does not use the
    /// bond before that.
    var unsavedBond: Bond?
    /// Whether the host paired on this link because the peer requested it.
    var hasPairedForPeer = false

    /// A bond that the peer has lost, while the application decides about it.
    var loss: BondLoss?
    /// Whether the application was informed that the peer has lost its bond.
    var hasLostBond = false
    /// The peer whose bond a pairing on this link may replace; `nil` once a pairing has produced
    /// keys.
    var replaceableBond: DeviceAddress?
    /// Whether the host has asked for the peer's name.
    var hasAskedForName = false
    /// The operation that reads the peer's name, while it runs.
    var nameOperation: UInt64?

    /// The error with which the host itself ends the link because it lacks protection.
    var end: HostError?
    /// The time at which the host ends the link, after the peer has had time to receive the
    /// refusal.
    var scheduledEnd: (error: HostError, dueAt: Instant)?

    /// Whether a pairing or a Security Request is under way.
    var isPairing: Bool { manager?.isPairing == true }

    /// Whether the key of a pairing that has yet to succeed encrypts the link, or soon will.
    var usesUnfinishedPairing: Bool {
        offered?.origin == .unfinishedPairing || inForce?.origin == .unfinishedPairing
    }

    /// Whether a person is occupied with this link, by a pairing or by a lost bond.
    var occupiesPerson: Bool { hasQuestion || loss != nil }

    /// Whether a Security Request of this host is open, and no pairing has followed yet.
    var isSecurityRequestOpen: Bool { isPairing && isOwnPairing && manager?.strength == nil }

    var nextDeadline: Instant? {
        let waiting = earliest(manager?.nextDeadline, earliest(reminderDueAt, scheduledEnd?.dueAt))
        return earliest(waiting, earliest(held.nextDeadline, loss?.deadline))
    }
}

extension LinkSecurity {
    /// Creates the strength of a key that a pairing created.
    init(_ keys: Pairing.Keys) {
        self.init(
            isEncrypted: true,
            isAuthenticated: keys.method.isAuthenticated,
            usesSecureConnections: keys.usesSecureConnections,
            keySize: keys.keySize
        )
    }

    /// Returns whether this protection meets `policy`.
    ///
    /// - Parameter ignoringBond: Whether a link without a bond can meet a policy that requests
    ///   bonding, because some peers do not store keys.
    func meets(_ policy: Pairing.Policy, ignoringBond: Bool = false) -> Bool {
        isEncrypted && (isAuthenticated || !policy.requiresAuthentication)
            && (usesSecureConnections || policy.allowsLegacyPairing)
            && keySize >= policy.minimumKeySize
            && (isBonded || ignoringBond || !policy.isBonding)
    }

    /// Returns whether this is at least as strong as `other` in every respect.
    func isNoWeaker(than other: LinkSecurity) -> Bool {
        (isAuthenticated || !other.isAuthenticated)
            && (usesSecureConnections || !other.usesSecureConnections)
            && keySize >= other.keySize
    }
}

/// A key that a controller gets for a link, for an observer that decrypts the link's packets. The
/// addresses are those that the two ends use on this link.
package struct LinkKey: Hashable, Sendable {
    package let central: DeviceAddress
    package let peripheral: DeviceAddress
    package let key: LongTermKey

    package init(central: DeviceAddress, peripheral: DeviceAddress, key: LongTermKey) {
        self.central = central
        self.peripheral = peripheral
        self.key = key
    }
}
