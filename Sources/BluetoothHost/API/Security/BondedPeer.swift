// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

/// A peer that keys are shared with for good.
public struct BondedPeer: Hashable, Sendable {
    /// What it is known by, whatever becomes of its addresses and of its keys.
    public let identifier: PeerIdentifier

    /// The address that stays the same. It may never be on the air.
    public let identity: DeviceAddress

    /// What it calls itself, as it was read last; nil if nobody has asked.
    public let name: String?

    /// How well a link with it is protected once it is encrypted.
    public let security: LinkSecurity

    /// Whether its private addresses can be recognised.
    public let isPrivate: Bool
}

extension BondedPeer {
    /// The peer of a bond, as far as applications may know of it.
    package init(_ bond: Bond) {
        identifier = bond.identifier
        identity = bond.peer
        name = bond.name
        security = bond.security(isEncrypted: true)
        isPrivate = bond.resolvingKey != nil
    }
}

/// What to do about a peer that has lost the keys of its bond. Never is a link with such a peer used
/// as if there had been no bond.
public enum BondLossPolicy: Sendable {
    /// The link ends with `HostError.bondLost`, and the bond stays until it is removed.
    case refuse
    /// `PairingDelegate.pairsAgain` decides.
    case ask
    /// Pair anew, once for each link, as `HostConfiguration.pairing` allows, and no weaker than before.
    /// A peer that begins needs consent as any other; where there is no delegate, this is `refuse`.
    case pairOnce
}

/// What becomes of bonds.
public enum SecurityEvent: Sendable {
    /// Keys are shared with this peer from now on, or new ones.
    case bonded(BondedPeer)
    /// The peer has lost its keys.
    case bondLost(BondedPeer)
    /// The bond was removed, or had to make room for another.
    case bondRemoved(BondedPeer)
    /// Something in the store is not what the host wrote, and was set aside.
    case setAside(entry: String, reason: String)
    /// Something in the store was made by another identity, was written by a later version, or cannot
    /// be read. It is not used, and stays where it is.
    case leftAlone(entry: String, reason: String)
    /// Something could not be kept.
    case storeFailed(String)
}

/// What a host shows of itself on the air.
public enum Privacy: Sendable, Hashable {
    /// Its identity address.
    case off
    /// Private addresses, each for no longer than `rotation`, which bonded peers recognise
    /// (Vol 3, Part C, 10.7). Less than a second counts as one, more than an hour as one: the range
    /// of controllers that change addresses by themselves (Vol 4, Part E, 7.8.45).
    case resolvable(rotation: Duration)

    /// Private addresses for as long as the specification recommends: 15 minutes
    /// (Vol 3, Part C, Appendix A).
    public static let on = Privacy.resolvable(rotation: .seconds(15 * 60))
}
