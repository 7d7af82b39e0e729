// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP
import BluetoothTypes

/// The adapter's state for L2CAP listeners of peripheral managers.
struct ListeningPart: Sendable {
    /// A listener and the channels that it accepted.
    struct Listener: Sendable {
        let key: ListenerKey
        let session: SessionIdentifier
        let isEncrypted: Bool
        var channels: [ChannelNumber: LinkIdentifier] = [:]
    }

    var listeners: [CBL2CAPPSM: Listener] = [:]
}

// Channels that peripheral managers accept.
extension SharedAdapter {
    /// The number of accepted channels that can wait for the adapter's thread, which takes each at
    /// once.
    private static var backlog: Int { 8 }

    /// Opens a listener on a PSM that the host chooses. The result is in
    /// `PeripheralManagerEvent.channelPublished`.
    func publishChannel(isEncrypted: Bool, for session: SessionIdentifier) {
        guard server.sessions[session] != nil else { return }
        do {
            let key = try onHost { host in
                try host.openListener(
                    requirement: isEncrypted ? .encrypted : .open,
                    options: OpenChannel.options,
                    backlog: Self.backlog
                )
            }
            let psm = key.spsm.rawValue
            listening.listeners[psm] = ListeningPart.Listener(
                key: key,
                session: session,
                isEncrypted: isEncrypted
            )
            noteProtection()
            accept(psm, key)
            post(.channelPublished(psm, nil), to: session)
        } catch {
            post(.channelPublished(0, CBError.ofChannel(error)), to: session)
        }
    }

    /// Closes a listener and the channels that it accepted. The result is in
    /// `PeripheralManagerEvent.channelUnpublished`. It is an error if the manager has no listener
    /// on the PSM.
    func unpublishChannel(_ psm: CBL2CAPPSM, for session: SessionIdentifier) {
        guard listening.listeners[psm]?.session == session else {
            let error = CBError(delivering: .invalidParameters)
            return post(.channelUnpublished(psm, error), to: session)
        }
        stopListening(psm)
        post(.channelUnpublished(psm, nil), to: session)
    }

    /// Closes the listeners of a manager that was released.
    func closeListeners(of session: SessionIdentifier) {
        for (psm, listener) in listening.listeners where listener.session == session {
            stopListening(psm)
        }
    }

    /// Closes all listeners, because the adapter is off. The managers get only the new state.
    func closeListeners() {
        for psm in listening.listeners.keys { stopListening(psm) }
    }

    private func stopListening(_ psm: CBL2CAPPSM) {
        guard let listener = listening.listeners.removeValue(forKey: psm) else { return }
        noteProtection()
        onHost { host in
            host.closeListener(listener.key)
            for (channel, link) in listener.channels {
                host.begin(.close(channel), on: link) { _ in }
            }
        }
    }

    /// Requests the next channel.
    private func accept(_ psm: CBL2CAPPSM, _ key: ListenerKey) {
        onHost { host in
            _ = host.beginAccept(key) { [weak self] result in
                self?.assumeIsolated { $0.accepted(result, psm, key) }
            }
        }
    }

    private func accepted(
        _ result: Result<HostAnswer, any Error>,
        _ psm: CBL2CAPPSM,
        _ key: ListenerKey
    ) {
        guard case .success(.channels(let numbers)) = result, let number = numbers.first,
            listening.listeners[psm]?.key == key
        else { return }
        take(number, psm)
        accept(psm, key)
    }

    /// Sends a channel to the manager of its listener.
    private func take(_ number: ChannelNumber, _ psm: CBL2CAPPSM) {
        guard let session = listening.listeners[psm]?.session,
            let (link, _) = onHost({ $0.link(of: number) }),
            let central = server.links.central(on: link),
            let channel = onHost({ OpenChannel(number, on: link, of: $0) })
        else { return }
        listening.listeners[psm]?.channels[number] = link
        onHost { host in
            _ = host.begin(.awaitEnd(number), on: link) { [weak self] _ in
                self?.assumeIsolated { $0.listening.listeners[psm]?.channels[number] = nil }
            }
        }
        post(.channelOpened(central, channel), to: session)
    }
}
