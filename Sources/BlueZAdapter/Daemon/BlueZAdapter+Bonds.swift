// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

// Bonds, which the daemon stores, and pairing.
extension BlueZAdapter {
    /// The time that a pairing may take (Vol 3, Part H, 3.4), and the daemon's own work.
    static let pairingTimeout = Duration.seconds(60)

    package nonisolated var bondedPeers: [PortBond] {
        onThread { adapter in
            guard let path = adapter.adapterPath else { return [] }
            return adapter.objects.paths(with: BlueZ.Interface.device, below: path).compactMap {
                adapter.bond(at: $0)
            }
        }
    }

    /// Returns the bond with the peer of a link, also if the peer connected with a private address.
    /// `nil` if there is none.
    package nonisolated func bond(of link: LinkIdentifier) -> PortBond? {
        onThread { adapter in adapter.links[link].flatMap { adapter.bond(at: $0.path) } }
    }

    private func bond(at path: DBusObjectPath) -> PortBond? {
        guard let device = device(at: path), device.isBonded, let address = device.address else {
            return nil
        }
        let peer = cipher.identifier(of: address)
        return PortBond(peer: peer, identity: address, name: device.name)
    }

    package nonisolated func removeBond(with peer: PeerIdentifier) {
        onThread { adapter in
            guard let address = adapter.cipher.address(of: peer), let root = adapter.adapterPath,
                let path = adapter.path(of: address)
            else { return }
            let arguments: [DBusValue] = [.objectPath(path)]
            adapter.send(BlueZ.call(root, BlueZ.Interface.adapter, "RemoveDevice", arguments))
        }
    }

    /// Pairs with a device. Requests that need the same pairing share it.
    func pair(
        _ path: DBusObjectPath,
        then done: @escaping @Sendable (Result<Void, PortError>) -> Void
    ) {
        guard pairings[path] == nil else {
            pairings[path]?.append(done)
            return
        }
        pairings[path] = [done]
        let message = BlueZ.call(path, BlueZ.Interface.device, "Pair")
        call(message, timeout: Self.pairingTimeout) { adapter, result in
            let outcome: Result<Void, PortError> =
                switch result {
                case .failure(let error) where !DaemonError.isNamed("AlreadyExists", error):
                    .failure(DaemonError.port(error))
                case .success, .failure: .success(())
                }
            adapter.withdrawQuestion(about: path)
            for done in adapter.pairings.removeValue(forKey: path) ?? [] { done(outcome) }
        }
    }
}
