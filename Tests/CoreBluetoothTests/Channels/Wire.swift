// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Dispatch
import Synchronization

@testable import BluetoothClients
@testable import CoreBluetooth

/// The two ends of a channel, connected as two hosts connect them: an SDU is sent when there is
/// space for it at the other end, and received when it is requested.
///
/// - Note: Sendable because everything is done on `queue`.
final class Wire: @unchecked Sendable {
    enum End: Int {
        case left
        case right

        var other: End { self == .left ? .right : .left }
    }

    private typealias Receiving = @Sendable (Result<[UInt8]?, ChannelEnd>) -> Void
    private typealias Sending = @Sendable (Result<Void, ChannelEnd>) -> Void

    private struct Endpoint {
        var arrived: [[UInt8]] = []
        var receiving: Receiving?
        var sending: [(sdu: [UInt8], then: Sending)] = []
        var watchers: [@Sendable (ChannelEnd) -> Void] = []
        var end: ChannelEnd?
        /// The numbers of SDUs and bytes that have arrived.
        var total = (sdus: 0, bytes: 0)
    }

    /// The number of SDUs that can wait at an end that does not request them: its credits.
    let window: Int
    /// The amount of outside work that is not done.
    let outsideWork = Mutex(0)
    private let queue = DispatchQueue(label: "wire")
    private var endpoints = [Endpoint(), Endpoint()]

    init(window: Int = 2) {
        self.window = window
    }

    func engine(_ end: End) -> any ChannelEngine { Engine(wire: self, end: end) }

    func pipe(_ end: End, limits: ChannelLimits) -> ChannelPipe {
        let pipe = ChannelPipe(limits: limits, engine: engine(end))
        pipe.start()
        return pipe
    }

    /// Returns when all earlier operations are done.
    func settle() {
        queue.sync {}
    }

    /// Returns the numbers of SDUs and bytes that have arrived at an end.
    func total(at end: End) -> (sdus: Int, bytes: Int) {
        queue.sync { endpoints[end.rawValue].total }
    }

    /// Returns the reason for the channel's end at one end; `nil` before it.
    func end(of end: End) -> ChannelEnd? {
        queue.sync { endpoints[end.rawValue].end }
    }

    /// Returns the reason for the channel's end when it has ended.
    func awaitEnd(of end: End) async -> ChannelEnd {
        await withCheckedContinuation { waiter in
            queue.async { self.watch(end) { waiter.resume(returning: $0) } }
        }
    }

    /// Ends the channel at both ends at once.
    func breakDown(_ end: ChannelEnd) {
        queue.async {
            self.finish(.left, end)
            self.finish(.right, end)
        }
    }
}

extension Wire {
    private struct Engine: ChannelEngine, ChannelOperations {
        let wire: Wire
        let end: End

        func execute(_ body: @escaping @Sendable (any ChannelOperations) -> Void) {
            wire.queue.async { body(self) }
        }

        func beginOutsideWork() { wire.outsideWork.withLock { $0 += 1 } }
        func endOutsideWork() { wire.outsideWork.withLock { $0 -= 1 } }

        func receive(then: @escaping Receiving) { wire.receive(end, then) }
        func send(_ sdu: [UInt8], then: @escaping Sending) { wire.send(end, sdu, then) }
        func awaitEnd(then: @escaping @Sendable (ChannelEnd) -> Void) { wire.watch(end, then) }

        func close() {
            wire.finish(end, .closedHere)
            wire.finish(end.other, .closedByPeer)
        }
    }

    private func receive(_ end: End, _ then: @escaping Receiving) {
        precondition(
            endpoints[end.rawValue].receiving == nil,
            "An end has one pending receive at a time"
        )
        endpoints[end.rawValue].receiving = then
        move(to: end)
    }

    private func send(_ end: End, _ sdu: [UInt8], _ then: @escaping Sending) {
        if let over = endpoints[end.rawValue].end {
            return then(.failure(over))
        }
        endpoints[end.rawValue].sending.append((sdu, then))
        move(to: end.other)
    }

    private func watch(_ end: End, _ then: @escaping @Sendable (ChannelEnd) -> Void) {
        if let over = endpoints[end.rawValue].end { return then(over) }
        endpoints[end.rawValue].watchers.append(then)
    }

    /// Moves SDUs to an end. Each SDU is removed from its queue before its closure is called,
    /// because the closure may call this method again.
    private func move(to end: End) {
        let (here, there) = (end.rawValue, end.other.rawValue)
        while endpoints[here].arrived.count < window, !endpoints[there].sending.isEmpty {
            let (sdu, then) = endpoints[there].sending.removeFirst()
            endpoints[here].arrived.append(sdu)
            endpoints[here].total.sdus += 1
            endpoints[here].total.bytes += sdu.count
            then(.success(()))
        }
        guard let receiving = endpoints[here].receiving else { return }
        if !endpoints[here].arrived.isEmpty {
            endpoints[here].receiving = nil
            let sdu = endpoints[here].arrived.removeFirst()
            receiving(.success(sdu))
            move(to: end)
        } else if let over = endpoints[here].end {
            endpoints[here].receiving = nil
            if case .failed = over {
                receiving(.failure(over))
            } else {
                receiving(.success(nil))
            }
        }
    }

    private func finish(_ end: End, _ over: ChannelEnd) {
        guard endpoints[end.rawValue].end == nil else { return }
        endpoints[end.rawValue].end = over
        let sending = endpoints[end.rawValue].sending
        endpoints[end.rawValue].sending = []
        for (_, then) in sending { then(.failure(over)) }
        let watchers = endpoints[end.rawValue].watchers
        endpoints[end.rawValue].watchers = []
        for watcher in watchers { watcher(over) }
        move(to: end)
    }
}
