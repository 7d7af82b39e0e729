// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

/// What protects one link, and what is under way to protect it better.
struct LinkProtection: Sendable {
    /// A key that the controller was given for the link, and how good it is.
    struct Key: Sendable, Equatable {
        enum Origin: Sendable, Equatable {
            case bond
            /// A pairing whose keys are not kept.
            case pairing
            /// A pairing that has yet to succeed.
            case unfinishedPairing
        }
        let origin: Origin
        let strength: LinkSecurity
    }

    /// Somebody who waits until the link is protected: a request, or an operation of the core's own.
    struct Waiter: Sendable {
        let id: UInt64
        let policy: Pairing.Policy
        /// Whether a pairing was begun for it.
        var hasTried = false
    }

    /// How many PDUs of the Security Manager wait to be sent. A peer that lets more come together
    /// is not listened to meanwhile.
    static let outgoingLimit = 32
    /// How many wait until the link is protected; one more is refused.
    static let waiterLimit = 64

    /// Begun with the first thing that is paired, or refused.
    var manager: SecurityManager?
    /// Frames that are to be sent.
    var outgoing: [[UInt8]] = []
    /// Where the last of them with a key ends that has gone into the queue, in all that the link sends.
    var lastKeyEnd = 0

    /// The key that the controller was given last, until it has told what came of it.
    var offered: Key?
    /// The key that encrypts the link; nil while nothing does.
    var inForce: Key?

    /// Whether the peer has shown that it is who it seems to be: by encrypting with its bond, or by a
    /// pairing since.
    var isProved = false
    /// What the application asks for meanwhile.
    var held = HeldRequests()
    /// When a Peripheral reminds the Central of encryption.
    var reminderDueAt: Instant?

    var waiters: [Waiter] = []
    /// Whether the pairing under way is one that we began.
    var isOwnPairing = false
    /// Whether something has been paired on this link, by a wish of the peer.
    var hasObliged = false

    /// What waits for a word on a bond that the peer has lost.
    var loss: BondLoss?
    /// Whether the peer has lost its bond, as the application has been told.
    var hasLostBond = false
    /// The peer that may be paired anew in spite of its bond, and nobody else: until there are keys,
    /// and once on a link.
    var agreedAnew: DeviceAddress?
    /// Whether the peer's name has been asked for, and the operation that asks.
    var hasAskedForName = false
    var nameOperation: UInt64?

    /// Why the host itself ends the link, if it does so for want of protection.
    var end: HostError?
    /// When it does, and why: the peer is to hear before why it was refused.
    var farewell: (error: HostError, dueAt: Instant)?

    /// Whether the Security Manager has something under way.
    var isPairing: Bool { manager?.isPairing == true }

    /// Whether the key of a pairing that has yet to succeed encrypts the link, or is about to.
    var usesUnfinishedPairing: Bool {
        offered?.origin == .unfinishedPairing || inForce?.origin == .unfinishedPairing
    }

    /// Whether a Security Request of ours is open, and nothing has come of it yet.
    var isWishOpen: Bool { isPairing && isOwnPairing && manager?.strength == nil }

    var nextDeadline: Instant? {
        let waiting = earliest(manager?.nextDeadline, earliest(reminderDueAt, farewell?.dueAt))
        return earliest(waiting, earliest(held.nextDeadline, loss?.deadline))
    }
}

extension LinkState {
    /// Whether a bonded peer has yet to show that it is who it seems to be. Until then the
    /// application and the link have nothing to do with each other.
    var isSealed: Bool { bond != nil && !protection.isProved }

    /// Whether it may be paired before it has, the application having agreed that its bond is lost.
    var isAgreedAnew: Bool { bond != nil && protection.agreedAnew == bond?.peer }
}

extension LinkSecurity {
    /// What a key is worth that a pairing has made.
    init(_ keys: Pairing.Keys) {
        self.init(
            isEncrypted: true,
            isAuthenticated: keys.method.isAuthenticated,
            usesSecureConnections: keys.usesSecureConnections,
            keySize: keys.keySize
        )
    }

    /// Whether a link that is protected so well is what `policy` asks for. That keys are kept cannot be
    /// had from every peer, and is left out if `ignoringBond`.
    func meets(_ policy: Pairing.Policy, ignoringBond: Bool = false) -> Bool {
        isEncrypted && (isAuthenticated || !policy.requiresAuthentication)
            && (usesSecureConnections || policy.allowsLegacyPairing)
            && keySize >= policy.minimumKeySize
            && (isBonded || ignoringBond || !policy.isBonding)
    }

    /// Whether this takes nothing away from what `other` has.
    func isNoWeaker(than other: LinkSecurity) -> Bool {
        (isAuthenticated || !other.isAuthenticated)
            && (usesSecureConnections || !other.usesSecureConnections)
            && keySize >= other.keySize
    }
}
