// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import HCITransports

// Listeners for L2CAP channels.
extension BlueZAdapter {
    /// The maximum number of listeners.
    static let listenerLimit = 64

    package nonisolated func listen(
        requiresEncryption: Bool,
        accepted: @escaping @Sendable (any PortChannel) -> Void
    ) throws -> L2CAP.SPSM {
        try onThread { adapter in
            guard adapter.state == .ready, let own = adapter.ownAddress else {
                throw PortError.unavailable
            }
            guard adapter.listeners.count < Self.listenerLimit else {
                throw PortError.tooManyRequests
            }
            let listener = Result { () throws(ChannelSocketError) in
                try ChannelSocketListener(
                    at: own,
                    requiresEncryption: requiresEncryption,
                    receiveMTU: Self.receiveMTU,
                    executor: adapter.thread
                ) { [weak adapter] psm, channel in
                    adapter?.onThread {
                        $0.accept(channel, L2CAP.SPSM(rawValue: psm), accepted)
                    }
                }
            }
            let opened = try listener.mapError { PortError($0) }.get()
            let psm = L2CAP.SPSM(rawValue: opened.psm)
            adapter.listeners[psm] = opened
            return psm
        }
    }

    package nonisolated func stopListening(_ psm: L2CAP.SPSM) {
        onThread { $0.listeners.removeValue(forKey: psm)?.close() }
    }

    /// Ends all listeners when the adapter shuts down. If the daemon's adapter is only switched
    /// off, the listeners continue.
    func stopListening() {
        for listener in listeners.values { listener.close() }
        listeners = [:]
    }

    /// Reports a channel that a peer has opened. The channel of a peer that the daemon does not
    /// know is dropped, because the peer has no link.
    private func accept(
        _ opened: ChannelSocket,
        _ psm: L2CAP.SPSM,
        _ accepted: @Sendable (any PortChannel) -> Void
    ) {
        guard let path = path(of: opened.peer),
            let link = link(at: path) ?? openClient(path, opened.peer),
            case .success(let channel) = channel(opened, psm, on: link)
        else { return }
        accepted(channel)
    }
}
