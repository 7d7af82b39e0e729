// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The adapter's state for L2CAP listeners of peripheral managers.
struct ListeningPart: Sendable {
    /// A listener and the channels that it accepted.
    struct Listener: Sendable {
        let session: SessionIdentifier
        let isEncrypted: Bool
        var channels: [Int: any PortChannel] = [:]
    }

    var listeners: [UInt16: Listener] = [:]
    var lastChannel = 0
}

// Channels that peripheral managers accept.
extension SharedAdapter {
    /// Opens a listener on a PSM that the port chooses. The result is in
    /// `PeripheralManagerEvent.channelPublished`.
    package func publishChannel(isEncrypted: Bool, for session: SessionIdentifier) {
        guard server.sessions[session] != nil else { return }
        do {
            let psm = try port.listen(requiresEncryption: isEncrypted) { [weak self] channel in
                self?.assumeIsolated { $0.accepted(channel) }
            }.rawValue
            listening.listeners[psm] = .init(session: session, isEncrypted: isEncrypted)
            noteProtection()
            post(.channelPublished(psm, nil), to: session)
        } catch {
            post(.channelPublished(0, ClientError.ofChannel(error)), to: session)
        }
    }

    /// Closes a listener and the channels that it accepted. The result is in
    /// `PeripheralManagerEvent.channelUnpublished`. It is an error if the manager has no listener
    /// on the PSM.
    package func unpublishChannel(_ psm: UInt16, for session: SessionIdentifier) {
        guard listening.listeners[psm]?.session == session else {
            let error = ClientError.failed(.invalidParameters)
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

    private func stopListening(_ psm: UInt16) {
        guard let listener = listening.listeners.removeValue(forKey: psm) else { return }
        noteProtection()
        port.stopListening(L2CAP.SPSM(rawValue: psm))
        for channel in listener.channels.values { channel.execute { $0.close() } }
    }

    /// Sends a channel to the manager of its listener. Closes the channel if the listener has stopped
    /// or the link has ended.
    private func accepted(_ channel: any PortChannel) {
        let psm = channel.psm.rawValue
        guard let session = listening.listeners[psm]?.session,
            let central = server.links.central(on: channel.link)
        else { return channel.execute { $0.close() } }
        listening.lastChannel += 1
        let number = listening.lastChannel
        listening.listeners[psm]?.channels[number] = channel
        channel.execute { [weak self] operations in
            operations.awaitEnd { [weak self] _ in
                self?.assumeIsolated { $0.listening.listeners[psm]?.channels[number] = nil }
            }
        }
        post(.channelOpened(central, OpenChannel(channel)), to: session)
    }
}
