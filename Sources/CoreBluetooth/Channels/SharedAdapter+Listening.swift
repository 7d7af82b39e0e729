// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP
import BluetoothTypes

/// What an adapter keeps of the numbers that peripheral managers have published.
struct ListeningPart: Sendable {
    /// One number, and the channels that came of it.
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
    /// How many channels may wait for the adapter's thread, which takes each at once.
    private static var backlog: Int { 8 }

    /// Publishes a number of the host's choice; answers with
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

    /// Takes a number back, and closes the channels that came of it; answers with
    /// `PeripheralManagerEvent.channelUnpublished`. A number that the manager has not published is
    /// an error.
    func unpublishChannel(_ psm: CBL2CAPPSM, for session: SessionIdentifier) {
        guard listening.listeners[psm]?.session == session else {
            let error = CBError(delivering: .invalidParameters)
            return post(.channelUnpublished(psm, error), to: session)
        }
        stopListening(psm)
        post(.channelUnpublished(psm, nil), to: session)
    }

    /// A manager is gone, and what it published.
    func closeListeners(of session: SessionIdentifier) {
        for (psm, listener) in listening.listeners where listener.session == session {
            stopListening(psm)
        }
    }

    /// The adapter is off: what was published is no more, and managers know it by the state.
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

    /// Waits for the next channel.
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

    /// Hands a channel to the manager that published its number.
    private func take(_ number: ChannelNumber, _ psm: CBL2CAPPSM) {
        guard let session = listening.listeners[psm]?.session,
            let (link, _) = onHost({ $0.link(of: number) }),
            let central = server.links[link],
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
