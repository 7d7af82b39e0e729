// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The peripherals that the application keeps.
extension CBCentralManager {
    /// Returns the object for a peer. It is the same one while the application keeps it.
    func peripheral(for peer: PeerIdentifier, name: String? = nil) -> CBPeripheral {
        let name = name ?? adapter?.name(of: peer)
        return mirror.change { mirror in
            if let known = mirror.peripherals[peer]?.object { return known }
            let new = CBPeripheral(peer, of: self, name: name)
            mirror.peripherals[peer] = WeakReference(new)
            return new
        }
    }

    /// Returns the object for a peer, if the application keeps one.
    func knownPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        mirror.read { $0.peripherals[peer]?.object }
    }

    /// Removes a peripheral that the application released.
    func forget(_ peer: PeerIdentifier) {
        // The peer may already have another object. It is released outside the lock, because
        // releasing the last reference calls this method again.
        _ = mirror.change { mirror in
            let successor = mirror.peripherals[peer]?.object
            if successor == nil { mirror.peripherals[peer] = nil }
            return successor
        }
    }
}
