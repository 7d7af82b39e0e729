// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

// Bonds, which the daemon stores, and pairing.
extension BlueZAdapter {
    /// The time that a pairing may take (Vol 3, Part H, 3.4), and the daemon's own work.
    private static let pairingTimeout = Duration.seconds(60)

    package nonisolated var bondedPeers: [PortBond] {
        onThread { adapter in
            guard let path = adapter.adapterPath else { return [] }
            return adapter.objects.paths(with: BlueZ.Interface.device, below: path).compactMap {
                guard let device = adapter.device(at: $0), device.isBonded,
                    let address = device.address
                else { return nil }
                let peer = adapter.cipher.identifier(of: address)
                return PortBond(peer: peer, identity: address, name: device.name)
            }
        }
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
    func pair(_ path: DBusObjectPath, then done: @escaping @Sendable (Bool) -> Void) {
        guard pairings[path] == nil else {
            pairings[path]?.append(done)
            return
        }
        pairings[path] = [done]
        let message = BlueZ.call(path, BlueZ.Interface.device, "Pair")
        call(message, timeout: Self.pairingTimeout) { adapter, result in
            let isPaired =
                switch result {
                case .success: true
                case .failure(let error): DaemonError.isNamed("AlreadyExists", error)
                }
            for done in adapter.pairings.removeValue(forKey: path) ?? [] { done(isPaired) }
        }
    }

    // MARK: The agent

    /// Registers the agent that answers the questions of pairings that this program starts. Another
    /// program's agent answers those of its own pairings, and the default agent all others.
    func registerAgent() {
        guard let path = DBusObjectPath("/org/bluez"), let agent = DBusObjectPath(BlueZ.agentPath)
        else { return }
        let arguments: [DBusValue] = [.objectPath(agent), .string("NoInputNoOutput")]
        send(BlueZ.call(path, BlueZ.Interface.agentManager, "RegisterAgent", arguments))
    }

    /// Answers a call of the agent. A pairing that this program has started may proceed without a
    /// person's answer if it needs none. All other questions are refused.
    func answerAgent(
        _ message: DBusMessage,
        _ path: DBusObjectPath,
        _ member: String,
        isDaemon: Bool
    ) {
        guard message.expectsReply, let sender = message.sender else { return }
        let device = message.body.first?.objectPath
        let isOwn = device.map { pairings[$0] != nil } ?? false
        let kind: DBusMessage.Kind
        if !isDaemon || path.description != BlueZ.agentPath {
            kind = .error(
                name: "org.freedesktop.DBus.Error.UnknownObject",
                to: message.serial
            )
        } else {
            switch member {
            case "Release", "Cancel": kind = .reply(to: message.serial)
            case "RequestAuthorization" where isOwn: kind = .reply(to: message.serial)
            default: kind = .error(name: "org.bluez.Error.Rejected", to: message.serial)
            }
        }
        connection?.send(DBusMessage(kind, destination: sender, expectsReply: false))
    }
}
