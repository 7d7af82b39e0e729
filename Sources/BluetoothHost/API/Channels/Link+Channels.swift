// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP

// Channels that this side opens.
extension Link {
    /// Opens a channel to the peer's listener for a PSM (Vol 3, Part A, 4.22).
    ///
    /// If the peer grants the channel after the task was canceled, the host closes it.
    ///
    /// - Parameters:
    ///   - psm: The PSM of the peer's listener.
    ///   - options: The sizes and credits with which this side receives.
    /// - Returns: The open channel.
    /// - Throws: `L2CAP.Failure`: `refused` with the peer's reason, `notSupported` if the peer does
    ///   not support such channels, `timedOut` after 30 seconds. ``SecurityRefusal`` if the peer
    ///   requires more security and pairing for that fails. ``HostError/notEncrypted`` if the peer
    ///   is bonded and the link is not encrypted within 35 seconds. ``HostError/tooManyRequests``
    ///   if a queue of the host is full. The reason why the link ended (see ``Link``) if the link
    ///   ends first. `CancellationError` if the task is canceled.
    public func openChannel(
        psm: L2CAP.SPSM,
        options: L2CAP.ChannelOptions = L2CAP.ChannelOptions()
    ) async throws -> L2CAPChannel {
        let channels = try await open(.open(psm, .credit, count: 1, options))
        guard let channel = channels.first else { throw HostError.malformedAnswer }
        return channel
    }

    /// Opens up to five channels with one request, in the enhanced mode of Bluetooth 5.2 (Vol 3,
    /// Part A, 4.25).
    ///
    /// - Parameters:
    ///   - psm: The PSM of the peer's listener.
    ///   - count: The number of channels, 1 to 5.
    ///   - options: The sizes and credits with which this side receives.
    /// - Returns: The open channels. The peer may grant fewer than `count`.
    /// - Throws: The errors of ``openChannel(psm:options:)``, including the case that the peer
    ///   grants no channel. If the peer responds that its answer is pending, the time limit is 60
    ///   seconds from that response.
    public func openEnhancedChannels(
        psm: L2CAP.SPSM,
        count: Int = 1,
        options: L2CAP.ChannelOptions = L2CAP.ChannelOptions()
    ) async throws -> [L2CAPChannel] {
        try await open(.open(psm, .enhanced, count: count, options))
    }

    private func open(_ request: ChannelRequest) async throws -> [L2CAPChannel] {
        guard case .channels(let numbers) = try await host.request(request, of: identifier)
        else { throw HostError.malformedAnswer }
        return numbers.map { L2CAPChannel(link: self, number: $0) }
    }
}
