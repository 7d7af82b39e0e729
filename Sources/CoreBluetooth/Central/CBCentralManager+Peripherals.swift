// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The peripherals that an application has.
extension CBCentralManager {
    /// The object for a peer: the same as long as the application has it.
    func peripheral(for peer: PeerIdentifier, name: String? = nil) -> CBPeripheral {
        let name = name ?? adapter?.name(of: peer)
        return mirror.change { mirror in
            if let known = mirror.peripherals[peer]?.object { return known }
            let new = CBPeripheral(peer, of: self, name: name)
            mirror.peripherals[peer] = WeakReference(new)
            return new
        }
    }

    /// The object for a peer, if the application has it.
    func knownPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        mirror.read { $0.peripherals[peer]?.object }
    }

    /// The application has let go of a peripheral.
    func forget(_ peer: PeerIdentifier) {
        // Another object may be there by now. It leaves the lock before it is let go of: if that was
        // the last reference, it comes here itself.
        _ = mirror.change { mirror in
            let successor = mirror.peripherals[peer]?.object
            if successor == nil { mirror.peripherals[peer] = nil }
            return successor
        }
    }
}
