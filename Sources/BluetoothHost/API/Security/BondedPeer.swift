// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import BluetoothSMP
import BluetoothTypes

/// A peer with which the host has stored keys.
public struct BondedPeer: Hashable, Sendable {
    /// The peer's identifier, which stays the same when the peer's addresses and keys change.
    public let identifier: PeerIdentifier

    /// The peer's identity address, which need not appear on the air.
    public let identity: DeviceAddress

    /// The device name that the host last read from the peer; `nil` if it has read none.
    public let name: String?

    /// The security of a link to the peer once it is encrypted.
    public let security: LinkSecurity

    /// Whether the host can resolve the peer's private addresses.
    public let isPrivate: Bool
}

extension BondedPeer {
    /// Creates the part of a bond that applications may see.
    package init(_ bond: Bond) {
        identifier = bond.identifier
        identity = bond.peer
        name = bond.name
        security = bond.security(isEncrypted: true)
        isPrivate = bond.resolvingKey != nil
    }
}

extension PortBond {
    /// Creates the part of a bond that the port shows.
    package init(_ bond: BondedPeer) {
        self.init(peer: bond.identifier, identity: bond.identity, name: bond.name)
    }
}

/// The policy for a peer that has lost the keys of its bond. The host never uses a link to such a
/// peer as if there had been no bond.
public enum BondLossPolicy: Sendable {
    /// The link ends with `HostError.bondLost`. The bond stays until the application removes it.
    case refuse
    /// `PairingDelegate.pairsAgain` decides, at most once for each link. Without a delegate, or
    /// while incoming pairings are refused, a pairing that the peer begins is refused.
    case ask
    /// The host pairs again, once for each link, as `HostConfiguration.pairing` allows and, unless
    /// `Pairing.Policy.allowsWeakerBond` is set, with no less security than before. A pairing that
    /// the peer begins needs consent like any other. Without a delegate, the host pairs again only
    /// if the application has called `Link.pair(_:)`.
    case pairOnce
}

/// A change of a bond or of the store.
public enum SecurityEvent: Sendable {
    /// The host has bonded with this peer, or has new keys for it.
    case bonded(BondedPeer)
    /// The peer has lost its keys.
    case bondLost(BondedPeer)
    /// The bond was removed, by the application or to make room for another bond.
    case bondRemoved(BondedPeer)
    /// The host moved an entry of the store aside (`HostStore.setAside(_:because:)`) and no longer
    /// uses it, because the entry is damaged or is not one that a host wrote, or because the host
    /// has to write its own entry under the same name.
    case setAside(entry: String, reason: String)
    /// The host does not use an entry of the store and leaves it in place, because another identity
    /// or a later version wrote it, or because it cannot be read.
    case leftAlone(entry: String, reason: String)
    /// The store failed to load or save. The text contains the reason.
    case storeFailed(String)
}

/// The kind of address that a host uses on the air.
public enum Privacy: Sendable, Hashable {
    /// The identity address.
    case off
    /// Resolvable private addresses, which bonded peers can resolve (Vol 3, Part C, 10.7). The host
    /// changes its address after `rotation`, or later if the controller cannot change it then. The
    /// host limits `rotation` to 1 second to 1 hour, the range of controllers that change the
    /// addresses themselves (Vol 4, Part E, 7.8.45).
    case resolvable(rotation: Duration)

    /// Resolvable private addresses with the recommended rotation of 15 minutes (Vol 3, Part C,
    /// Appendix A).
    public static let on = Privacy.resolvable(rotation: .seconds(15 * 60))
}
