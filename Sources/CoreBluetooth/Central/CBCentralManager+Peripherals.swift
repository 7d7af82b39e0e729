// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothTypes

// The peripherals that the app keeps.
extension CBCentralManager {
    /// Returns the object for a peer. It is the same one while the app keeps it, until Bluetooth is
    /// reset.
    func peripheral(for peer: PeerIdentifier, name: String? = nil) -> CBPeripheral {
        let name = name ?? adapter?.name(of: peer)
        return snapshot.change { snapshot in
            if let known = snapshot.peripherals[peer]?.object { return known }
            let new = CBPeripheral(peer, of: self, name: name)
            snapshot.peripherals[peer] = WeakReference(new)
            return new
        }
    }

    /// Returns the object for a peer, if the app keeps one.
    func knownPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        snapshot.read { $0.peripherals[peer]?.object }
    }

    /// Removes a peripheral that the app released.
    func forget(_ peer: PeerIdentifier) {
        // The peer may already have another object. It is released outside the lock, because
        // releasing the last reference calls this method again.
        _ = snapshot.change { snapshot in
            let successor = snapshot.peripherals[peer]?.object
            if successor == nil { snapshot.peripherals[peer] = nil }
            return successor
        }
    }
}
