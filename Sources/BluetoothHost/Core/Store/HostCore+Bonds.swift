// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The bonds that a host has: what is added to them is in the store before anybody hears of it.
extension HostCore {
    /// How many bonds a host holds. One more takes the place of the one that was not used for the
    /// longest, of those whose peer is not connected.
    package static let bondLimit = 1_024

    /// Shares keys with a peer from now on, instead of earlier ones, and keeps them in the store.
    ///
    /// False, and nothing has changed, if there are as many bonds as a host holds, and all of their
    /// peers are connected.
    @discardableResult
    package mutating func keepBond(_ bond: Bond, now: Instant) -> Bool {
        let isNew = !bonds.contains { $0.peer == bond.peer }
        if isNew, bonds.count >= Self.bondLimit {
            guard let oldest = bonds.first(where: { !isConnected(to: $0.peer) }) else {
                return false
            }
            dropBond(of: oldest.peer, now: now)
        }
        // Whoever was bonded before may know nothing any more of what it was told under the old key.
        if !isNew { forgetDatabase(of: bond.peer) }
        bonds.removeAll { $0.peer == bond.peer }
        bonds.append(bond)
        bondsChanged(now: now)
        for handle in links.handles where links[handle]?.identity == bond.peer {
            links[handle]?.bond = bond
            links[handle]?.security.isBonded = true
            serverHearsOfSecurity(of: handle)
            useSigningKey(on: handle)
            pump(handle, now: now)
        }
        return true
    }

    /// Shares no keys with a peer any more, and forgets what it configured. A link that is encrypted
    /// stays so.
    package mutating func dropBond(of peer: DeviceAddress, now: Instant) {
        guard bonds.contains(where: { $0.peer == peer }) else { return }
        bonds.removeAll { $0.peer == peer }
        bondsChanged(now: now)
        forgetClient(peer)
        for handle in links.handles where links[handle]?.identity == peer {
            links[handle]?.bond = nil
            links[handle]?.security.isBonded = false
            serverHearsOfSecurity(of: handle)
            useSigningKey(on: handle)
        }
    }

    /// The counter for the next command that is signed for a bonded peer (Vol 3, Part H, 2.4.5): each
    /// is given out once, whatever becomes of the host. Nil if we have no key to sign with, or have
    /// used all counters of it.
    package mutating func takeSignCounter(for peer: DeviceAddress) -> UInt32? {
        guard bonds.contains(where: { $0.peer == peer && $0.localSigningKey != nil }) else {
            return nil
        }
        let counter = signCounters[peer, default: 0]
        guard counter < .max else { return nil }
        signCounters[peer] = counter + 1
        return counter
    }

    /// Keeps a bond, as `keepBond` does.
    package mutating func addBond(_ bond: Bond, now: Instant) {
        keepBond(bond, now: now)
    }

    /// Ends a bond, as `dropBond` does.
    package mutating func removeBond(with peer: DeviceAddress, now: Instant) {
        dropBond(of: peer, now: now)
    }

    private func isConnected(to peer: DeviceAddress) -> Bool {
        links.handles.contains { links[$0]?.identity == peer }
    }
}
