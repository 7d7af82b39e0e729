// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP
import BluetoothTypes

// Channels that central managers open.
extension SharedAdapter {
    /// Opens a channel to a peer that the manager is connected to. The result is in
    /// `PeripheralEvent.channelOpened`.
    func openChannel(
        _ psm: CBL2CAPPSM,
        to peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        guard let link = central.core.link(of: session, to: peer) else {
            return channelOpened(
                .failure(CBError(delivering: .notConnected)),
                to: peer,
                for: session
            )
        }
        let request = ChannelRequest.open(
            L2CAP.SPSM(rawValue: psm),
            .credit,
            count: 1,
            OpenChannel.options
        )
        onHost { host in
            _ = host.begin(request, on: link) { [weak self] result in
                self?.assumeIsolated {
                    $0.channelAnswered(result, on: link, to: peer, for: session)
                }
            }
        }
    }

    private func channelAnswered(
        _ result: Result<HostAnswer, any Error>,
        on link: LinkIdentifier,
        to peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        let opened: Result<OpenChannel, any Error> =
            switch result {
            case .success(let answer): channel(of: answer, on: link)
            case .failure(let error): .failure(CBError.ofChannel(error))
            }
        channelOpened(opened, to: peer, for: session)
    }

    /// Returns the channel that the host has opened, or an error if it has ended already.
    private func channel(
        of answer: HostAnswer,
        on link: LinkIdentifier
    ) -> Result<OpenChannel, any Error> {
        guard case .channels(let numbers) = answer, let number = numbers.first,
            let channel = onHost({ OpenChannel(number, on: link, of: $0) })
        else { return .failure(CBError(delivering: .peripheralDisconnected)) }
        return .success(channel)
    }

    private func channelOpened(
        _ result: Result<OpenChannel, any Error>,
        to peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        post(.peripheral(peer, .channelOpened(result)), to: session)
    }
}
