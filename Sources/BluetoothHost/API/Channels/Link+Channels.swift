// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP

// Channels that this side opens.
extension Link {
    /// Opens a channel to whatever listens for `psm` at the peer (Vol 3, Part A, 4.22).
    ///
    /// Throws `L2CAP.Failure`: `refused` with the peer's reason, `notSupported` by a peer that
    /// knows no such channels, `timedOut` after 30 seconds; `HostError` if the link ends first. A
    /// channel that is granted after the task was cancelled is closed.
    public func openChannel(
        psm: L2CAP.SPSM,
        options: L2CAP.ChannelOptions = L2CAP.ChannelOptions()
    ) async throws -> L2CAPChannel {
        let channels = try await open(.open(psm, .credit, count: 1, options))
        guard let channel = channels.first else { throw HostError.malformedAnswer }
        return channel
    }

    /// Opens up to five channels by one request, in the enhanced mode of Bluetooth 5.2
    /// (Vol 3, Part A, 4.25).
    ///
    /// A peer may give fewer than are asked for: those are returned. If it gives none, or for
    /// another cause, throws as `openChannel(psm:options:)` does.
    public func openEnhancedChannels(
        psm: L2CAP.SPSM,
        count: Int = 1,
        options: L2CAP.ChannelOptions = L2CAP.ChannelOptions()
    ) async throws -> [L2CAPChannel] {
        try await open(.open(psm, .enhanced, count: count, options))
    }

    private func open(_ wish: ChannelWish) async throws -> [L2CAPChannel] {
        guard case .channels(let numbers) = try await host.request(wish, of: identifier)
        else { throw HostError.malformedAnswer }
        return numbers.map { L2CAPChannel(link: self, number: $0) }
    }
}
