// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Channels that central managers open.
extension SharedAdapter {
    /// Opens a channel to a peer that the manager is connected to. The result is in
    /// `RemoteEvent.channelOpened`.
    package func openChannel(
        _ psm: UInt16,
        to peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        guard let link = central.core.link(of: session, to: peer) else {
            return channelOpened(
                .failure(ClientError.failed(.notConnected)),
                to: peer,
                for: session
            )
        }
        port.openChannel(L2CAP.SPSM(rawValue: psm), on: link) { [weak self] result in
            let result = result.map { OpenChannel($0) }.mapError { ClientError.ofChannel($0) }
            self?.assumeIsolated { $0.channelOpened(result, to: peer, for: session) }
        }
    }

    private func channelOpened(
        _ result: Result<OpenChannel, ClientError>,
        to peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        post(.peripheral(peer, .channelOpened(result)), to: session)
    }
}
