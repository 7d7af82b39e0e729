// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The bonds that a host has: what is added to them is in the store before anybody hears of it.
extension HostCore {
    /// How many bonds a host holds. One more takes the place of the one whose peer was not met for
    /// the longest, of those who are not connected.
    package static let bondLimit = 1_024

    /// Shares keys with a peer from now on, instead of earlier ones, and keeps them in the store. Or
    /// keeps what has become known of a bonded peer, such as its name.
    ///
    /// A peer that is bonded anew keeps its identifier, and its name if the new bond has none. False,
    /// and nothing has changed, if there are as many bonds as a host holds, and the peers of all of
    /// them are connected.
    @discardableResult
    package mutating func keepBond(_ bond: Bond, now: Instant) -> Bool {
        let earlier = bonds.first { $0.peer == bond.peer }
        let isFull = earlier == nil && bonds.count >= Self.bondLimit
        let displaced = isFull ? bonds.first { !isConnected(to: $0.peer) } : nil
        guard !isFull || displaced != nil else { return false }
        insert(bond, insteadOf: earlier)
        write(.bond(bond.peer))
        if let earlier, !earlier.hasKeys(of: bond) { forgetOldKeys(of: earlier, replacedBy: bond) }
        bondsChanged(now: now)
        tellLinks(of: bond.peer, now: now)
        // Last: until the new bond is in the store, the old one is.
        if let displaced { dropBond(of: displaced.peer, now: now) }
        return true
    }

    private mutating func insert(_ bond: Bond, insteadOf earlier: Bond?) {
        var bond = bond
        bond.localIdentity = bond.localIdentity ?? localIdentity.address
        if let earlier {
            bond.identifier = earlier.identifier
            bond.name = bond.name ?? earlier.name
        }
        if let index = bonds.firstIndex(where: { $0.peer == bond.peer }) {
            bonds[index] = bond
        } else {
            bonds.append(bond)
        }
        if earlier?.hasKeys(of: bond) != true { peerMet(bond.peer) }
    }

    /// What belonged to the old keys is not of the new ones: who was bonded before may know nothing
    /// any more of what it was told, and new signing keys begin to count anew.
    private mutating func forgetOldKeys(of earlier: Bond, replacedBy bond: Bond) {
        forgetDatabase(of: bond.peer)
        if earlier.localSigningKey != bond.localSigningKey {
            keeping.counters[bond.peer] = nil
            discard(.counter(bond.peer))
        }
        if earlier.peerSigningKey != bond.peerSigningKey, memories[bond.peer] != nil {
            keeping.ceilings[bond.peer] = nil
            memories[bond.peer]?.lastSignCounter = nil
            keep(.client(bond.peer))
        }
    }

    /// The links that have a bond with this peer have the new one. No other link gets it, whoever
    /// seems to be there: nobody has paired for it on that link.
    private mutating func tellLinks(of peer: DeviceAddress, now: Instant) {
        let bond = bonds.first { $0.peer == peer }
        for handle in links.handles where links[handle]?.bond?.peer == peer {
            // Without its bond, a link that is sealed would be open: it keeps it to its end.
            if bond != nil || links[handle]?.isSealed == false {
                links[handle]?.bond = bond
                links[handle]?.security.isBonded = bond != nil
            }
            serverHearsOfSecurity(of: handle)
            useSigningKey(on: handle)
            pump(handle, now: now)
        }
    }

    /// Shares no keys with a peer any more, and forgets what it configured. A link that is encrypted
    /// stays so.
    package mutating func dropBond(of peer: DeviceAddress, now: Instant) {
        guard let index = bonds.firstIndex(where: { $0.peer == peer }) else { return }
        let bond = bonds.remove(at: index)
        // The bond last: if the host is killed meanwhile, nothing is left of a peer without a bond.
        forgetClient(peer)
        keeping.forget(peer)
        discard(.counter(peer))
        discard(.bond(peer))
        bondsChanged(now: now)
        tellLinks(of: peer, now: now)
        emit(.security(.bondRemoved(BondedPeer(bond))))
    }

    /// A bonded peer has shown who it is: of all bonds, this one is used last.
    mutating func peerMet(_ peer: DeviceAddress) {
        guard bonds.last?.peer != peer, let index = bonds.firstIndex(where: { $0.peer == peer })
        else { return }
        bonds.append(bonds.remove(at: index))
        keep(.order)
    }

    /// The counter for the next command that is signed for a bonded peer (Vol 3, Part H, 2.4.5): each
    /// is given out once, whatever becomes of the host. Nil if we have no key to sign with, or have
    /// used all counters of it.
    package mutating func takeSignCounter(for peer: DeviceAddress) -> UInt32? {
        guard bonds.contains(where: { $0.peer == peer && $0.localSigningKey != nil }),
            let taken = keeping.counters[peer, default: SignCounter()].take()
        else { return nil }
        if taken.isBlockNew { write(.counter(peer)) }
        return taken.counter
    }

    /// Keeps a bond, as `keepBond` does.
    package mutating func addBond(_ bond: Bond, now: Instant) {
        keepBond(bond, now: now)
    }

    /// Ends a bond, as `dropBond` does.
    package mutating func removeBond(with peer: DeviceAddress, now: Instant) {
        dropBond(of: peer, now: now)
    }

    /// Whether a bond that a link began with has been taken away since.
    func isRemoved(_ bond: Bond) -> Bool { !bonds.contains { $0.peer == bond.peer } }

    private func isConnected(to peer: DeviceAddress) -> Bool {
        links.handles.contains { links[$0]?.identity == peer }
    }
}

extension Bond {
    /// Whether another bond has the same keys, whatever else is known of the peer.
    fileprivate func hasKeys(of other: Bond) -> Bool {
        var bond = other
        (bond.identifier, bond.name, bond.localIdentity) = (identifier, name, localIdentity)
        return bond == self
    }
}
