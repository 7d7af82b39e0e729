// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

/// A pairing of this program that has not ended.
struct DaemonPairingAttempt: Sendable {
    /// A number that no other attempt has.
    let number: UInt64
    var completions: [@Sendable (Result<Void, PortError>) -> Void]
}

// Bonds, which the daemon stores, and pairing.
extension BlueZAdapter {
    /// The time that a pairing (Vol 3, Part H, 3.4) and the daemon's own work may take together.
    static let pairingTimeout = Duration.seconds(60)

    package nonisolated var bondedPeers: [PortBond] {
        onThread { adapter in
            guard let path = adapter.adapterPath else { return [] }
            return adapter.objects.paths(with: BlueZ.Interface.device, below: path).compactMap {
                adapter.bond(at: $0)
            }
        }
    }

    /// Returns the bond with the peer of a link, even if the peer connected with a private address.
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

    /// Pairs with a device, unless it is already bonded or paired. Requests that need the same
    /// pairing share it.
    func pair(
        _ path: DBusObjectPath,
        then done: @escaping @Sendable (Result<Void, PortError>) -> Void
    ) {
        guard pairings[path] == nil else {
            pairings[path]?.completions.append(done)
            return
        }
        // For a bonded device, BlueZ 5.66 would try to pair over BR/EDR (src/device.c,
        // `pair_device`). A device that has paired without a bond has the keys of its link already.
        guard let device = device(at: path), device.isBonded || device.isPaired else {
            return startPairing(path, then: done)
        }
        done(.success(()))
    }

    private func startPairing(
        _ path: DBusObjectPath,
        then done: @escaping @Sendable (Result<Void, PortError>) -> Void
    ) {
        let number = nextNumber()
        pairings[path] = DaemonPairingAttempt(number: number, completions: [done])
        let message = BlueZ.call(path, BlueZ.Interface.device, "Pair")
        call(message, timeout: Self.pairingTimeout) { adapter, result in
            let outcome: Result<Void, PortError> =
                switch result {
                case .failure(let error) where !DaemonError.isNamed("AlreadyExists", error):
                    .failure(DaemonError.port(error))
                case .success, .failure: .success(())
                }
            // This reply must not end a later attempt.
            guard adapter.pairings[path]?.number == number else { return }
            // After the time limit, the daemon would continue the pairing.
            if case .failure(.timedOut) = result {
                adapter.send(BlueZ.call(path, BlueZ.Interface.device, "CancelPairing"))
            }
            adapter.endPairing(path, outcome)
        }
    }

    /// Ends the pairing with a device that the daemon reports as paired. The daemon loses the reply
    /// to `Pair` if the pairing ends during the discovery of services (BlueZ 5.66 and 5.82,
    /// src/device.c: `device_browse_gatt` returns -EBUSY, which `device_bonding_complete` ignores).
    func pairedChanged(at path: DBusObjectPath) {
        guard device(at: path)?.isPaired == true else { return }
        endPairing(path, .success(()))
    }

    /// Ends a pairing with this outcome.
    func endPairing(_ path: DBusObjectPath, _ outcome: Result<Void, PortError>) {
        guard let ended = pairings.removeValue(forKey: path) else { return }
        withdrawQuestion(about: path)
        for done in ended.completions { done(outcome) }
    }
}
