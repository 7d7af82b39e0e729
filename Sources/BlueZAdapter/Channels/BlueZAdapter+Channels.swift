// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

/// The state of an open channel.
struct DaemonChannelState: Sendable {
    /// The maximum number of SDUs that wait for the application. While so many wait, the adapter
    /// does not read the socket. The kernel gives the peer no more credits when the socket's buffer
    /// is full.
    static let receivedLimit = 16

    typealias Receiver = @Sendable (Result<[UInt8]?, ChannelEnd>) -> Void

    let link: LinkIdentifier
    let socket: PacketSocket
    var received: [[UInt8]] = []
    var receiver: Receiver?
    /// Why the channel ended; `nil` while it is open. The application can still take the SDUs that
    /// were received before the end.
    var end: ChannelEnd?
    var ends: [@Sendable (ChannelEnd) -> Void] = []
}

/// A channel of the port that uses an L2CAP socket of the kernel.
struct DaemonChannel: PortChannel {
    let adapter: BlueZAdapter
    let number: UInt64
    let psm: L2CAP.SPSM
    let link: LinkIdentifier
    let sendMTU: Int
    let receiveMTU: Int

    func execute(_ body: @escaping @Sendable (any ChannelOperations) -> Void) {
        adapter.thread.perform { body(Operations(channel: self)) }
    }

    func beginOutsideWork() { adapter.thread.beginOutsideWork() }
    func endOutsideWork() { adapter.thread.endOutsideWork() }

    /// The operations of the channel on the adapter's executor.
    private struct Operations: ChannelOperations {
        let channel: DaemonChannel

        func receive(then: @escaping @Sendable (Result<[UInt8]?, ChannelEnd>) -> Void) {
            channel.adapter.onThread { $0.receive(from: channel.number, then) }
        }

        func send(
            _ sdu: [UInt8],
            then: @escaping @Sendable (Result<Void, ChannelEnd>) -> Void
        ) {
            channel.adapter.onThread { $0.send(sdu, to: channel.number, then) }
        }

        func close() { channel.adapter.onThread { $0.endChannel(channel.number, .closedHere) } }

        func awaitEnd(then: @escaping @Sendable (ChannelEnd) -> Void) {
            channel.adapter.onThread { $0.awaitEnd(of: channel.number, then) }
        }
    }
}

// L2CAP channels, through the kernel's own sockets, without the daemon.
extension BlueZAdapter {
    /// The maximum number of open channels.
    static let channelLimit = 256
    /// The maximum length of a received SDU, in bytes.
    static let receiveMTU = 2_048

    var ownAddress: DeviceAddress? {
        guard let adapterPath,
            let properties = objects.properties(adapterPath, BlueZ.Interface.adapter)
        else { return nil }
        return DaemonDevice(properties: properties).address
    }

    package nonisolated func openChannel(
        _ psm: L2CAP.SPSM,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<any PortChannel>
    ) {
        onThread { adapter in
            guard let path = adapter.links[link]?.path, let own = adapter.ownAddress,
                let peer = adapter.device(at: path)?.address
            else {
                return adapter.thread.perform {
                    completion(.failure(PortError.linkEnded(.unknown)))
                }
            }
            ChannelSocket.connect(
                to: peer,
                from: own,
                psm: psm.rawValue,
                receiveMTU: Self.receiveMTU,
                executor: adapter.thread
            ) { [weak adapter] result in
                adapter?.onThread { adapter in
                    completion(
                        result.mapError { PortError($0) }
                            .flatMap { adapter.channel($0, psm, on: link) }
                            .mapError { $0 as any Error }
                    )
                }
            }
        }
    }

    /// Creates a channel from an open socket.
    func channel(
        _ opened: ChannelSocket,
        _ psm: L2CAP.SPSM,
        on link: LinkIdentifier
    ) -> Result<any PortChannel, PortError> {
        guard links[link] != nil else { return .failure(.linkEnded(.unknown)) }
        guard makeRoomForChannel() else { return .failure(.tooManyRequests) }
        let number = nextNumber()
        let socket = PacketSocket(
            opened.descriptor,
            executor: thread,
            receive: { [weak self] sdu in self?.onThread { $0.received(Array(sdu), by: number) } },
            ended: { [weak self] in self?.onThread { $0.endChannel(number, .closedByPeer) } }
        )
        channels[number] = DaemonChannelState(link: link, socket: socket)
        return .success(
            DaemonChannel(
                adapter: self,
                number: number,
                psm: psm,
                link: link,
                sendMTU: opened.sendMTU,
                receiveMTU: opened.receiveMTU
            )
        )
    }

    // MARK: Data

    private func received(_ sdu: [UInt8], by number: UInt64) {
        guard var state = channels[number], state.end == nil else { return }
        if let receiver = state.receiver {
            channels[number]?.receiver = nil
            return receiver(.success(sdu))
        }
        state.received.append(sdu)
        channels[number] = state
        if state.received.count >= DaemonChannelState.receivedLimit {
            state.socket.setReading(false)
        }
    }

    fileprivate func receive(
        from number: UInt64,
        _ receiver: @escaping DaemonChannelState.Receiver
    ) {
        guard let state = channels[number] else { return receiver(.success(nil)) }
        if let sdu = state.received.first {
            channels[number]?.received.removeFirst()
            if state.received.count == DaemonChannelState.receivedLimit, state.end == nil {
                state.socket.setReading(true)
            }
            if state.end != nil, state.received.count == 1 { channels[number] = nil }
            return receiver(.success(sdu))
        }
        guard let end = state.end else {
            channels[number]?.receiver = receiver
            return
        }
        receiver(end.lastResult)
    }

    fileprivate func send(
        _ sdu: [UInt8],
        to number: UInt64,
        _ sent: @escaping @Sendable (Result<Void, ChannelEnd>) -> Void
    ) {
        guard let state = channels[number], state.end == nil else {
            return sent(.failure(channels[number]?.end ?? .closedHere))
        }
        state.socket.send(sdu) { [weak self] isSent in
            guard !isSent else { return sent(.success(())) }
            let end = self?.onThread { $0.channels[number]?.end } ?? .closedHere
            sent(.failure(end))
        }
    }

    // MARK: Ends

    fileprivate func awaitEnd(of number: UInt64, _ ended: @escaping @Sendable (ChannelEnd) -> Void)
    {
        guard let state = channels[number] else { return ended(.closedHere) }
        if let end = state.end { return ended(end) }
        channels[number]?.ends.append(ended)
    }

    fileprivate func endChannel(_ number: UInt64, _ end: ChannelEnd) {
        guard let state = channels[number], state.end == nil else { return }
        channels[number]?.end = end
        channels[number]?.receiver = nil
        channels[number]?.ends = []
        if state.received.isEmpty { channels[number] = nil }
        state.socket.close()
        state.receiver?(end.lastResult)
        for ended in state.ends { ended(end) }
    }

    /// Ends the channels of a link that is about to be closed.
    func endChannels(of link: LinkIdentifier, _ error: PortError) {
        for (number, state) in channels.sorted(by: { $0.key < $1.key }) where state.link == link {
            endChannel(number, .failed(error))
        }
    }

    /// Returns whether a channel can be added. If there are already `channelLimit` channels, this
    /// method first removes an ended channel, with its unread data, to make room.
    private func makeRoomForChannel() -> Bool {
        guard channels.count >= Self.channelLimit else { return true }
        guard let old = channels.first(where: { $0.value.end != nil })?.key else { return false }
        channels[old] = nil
        return true
    }
}

extension ChannelEnd {
    /// The result of `receive` when the channel has ended and the application has taken all SDUs.
    fileprivate var lastResult: Result<[UInt8]?, ChannelEnd> {
        switch self {
        case .closedByPeer, .closedHere: .success(nil)
        case .failed: .failure(self)
        }
    }
}

extension PortError {
    init(_ error: ChannelSocketError) {
        self =
            switch error {
            case .unsupported: .unsupported(.channels)
            case .refused: .refused(.unknown)
            case .notSecure: .notEncrypted
            case .other(let text): .other(text)
            }
    }
}
