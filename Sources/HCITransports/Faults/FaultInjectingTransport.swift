// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// A wrapper of a transport that injects faults according to a plan, for testing a host.
///
/// ```swift
/// var plan = TransportFaultPlan(seed: 7)
/// plan.toHost.drop = 0.01
/// let transport = FaultInjectingTransport(wrapping: controller, plan: plan)
/// ```
///
/// When the transport is opened again, the plan starts again.
public final class FaultInjectingTransport: HCITransport {
    private struct Connection {
        let executor: any HostExecutor
        let receive: @Sendable (TransportEvent) -> Void
        let timer: any HostTimer
        var deframer = H4Deframer()
        var toController: FaultyLine
        var toHost: FaultyLine
        var packetCount = 0
        var isEnding = false
    }

    private let inner: any HCITransport
    private let plan: TransportFaultPlan
    private let connection = Lock<Connection?>(nil)

    /// Creates a transport that wraps another.
    public init(wrapping inner: any HCITransport, plan: TransportFaultPlan) {
        self.inner = inner
        self.plan = plan
    }

    /// The name of the wrapped transport.
    public var name: String { inner.name }

    /// Whether the wrapped transport may lose bytes.
    public var losesBytes: Bool { inner.losesBytes }

    /// The maximum length of a packet that the wrapped transport sends.
    public var longestPacket: Int? { inner.longestPacket }

    /// The notice of the wrapped transport.
    public var notice: String? { inner.notice }

    /// Opens the wrapped transport.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        let new = Connection(
            executor: executor,
            receive: receive,
            timer: executor.makeTimer { [weak self] in self?.deliver { _, _ in } },
            toController: FaultyLine(plan.toController, seed: plan.seed),
            // The other direction needs a different seed that follows from the plan's.
            toHost: FaultyLine(plan.toHost, seed: ~plan.seed)
        )
        let isFirst = connection.withLock { connection in
            guard connection == nil else { return false }
            connection = new
            return true
        }
        guard isFirst else { throw .alreadyOpen(name) }
        do {
            try await inner.open(on: executor) { [self] in received($0) }
        } catch {
            connection.withLock { $0 = nil }
            throw error
        }
    }

    /// Sends packets, with faults.
    public func send(_ packets: [[UInt8]]) {
        advance { [plan] connection, now in
            for packet in packets {
                guard Self.counts(&connection, plan) else { continue }
                connection.toController.add(packet[...], now: now)
            }
        }
    }

    /// Closes the wrapped transport. Delayed packets are lost.
    public func close() {
        inner.close()
    }

    /// Watches the wrapped transport.
    public func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)? {
        inner.watch(on: executor, returned: returned)
    }

    private func received(_ event: TransportEvent) {
        switch event {
        case .received(let bytes):
            deliver { [plan] connection, now in
                Self.receive(bytes, &connection, plan, now)
            }
        case .closed(let error): end(error)
        }
    }

    private static func receive(
        _ bytes: ArraySlice<UInt8>,
        _ connection: inout Connection,
        _ plan: TransportFaultPlan,
        _ now: Instant
    ) {
        var deframer = H4Deframer()
        swap(&deframer, &connection.deframer)
        let rest = deframer.split(bytes) { packet in
            guard counts(&connection, plan) else { return }
            connection.toHost.add(packet, now: now)
        }
        swap(&deframer, &connection.deframer)
        // The rest begins with an invalid packet, which this transport did not cause. It is treated
        // as one packet.
        if let rest, counts(&connection, plan) { connection.toHost.add(rest, now: now) }
    }

    /// Counts a packet, and returns whether it may pass.
    private static func counts(_ connection: inout Connection, _ plan: TransportFaultPlan) -> Bool {
        connection.packetCount += 1
        if let limit = plan.closesAfter, connection.packetCount > limit {
            connection.isEnding = true
            return false
        }
        return plan.hangsAfter.map { connection.packetCount <= $0 } ?? true
    }

    /// Changes the connection, and delivers the packets that are due in both directions.
    private func deliver(_ change: (inout Connection, Instant) -> Void) {
        advance(change)
        // The loop delivers one piece at a time, because the host may send during a delivery.
        while let piece = next(from: \.toHost) { piece.receive(.received(piece.bytes)) }
        setTimer()
    }

    /// Changes the connection, passes the due packets to the controller, and sets the timer for all
    /// other packets. Delivers none to the host, which must not receive a packet while it sends.
    private func advance(_ change: (inout Connection, Instant) -> Void) {
        connection.withLock { connection in
            guard var changed = connection else { return }
            change(&changed, changed.executor.now)
            connection = changed
        }
        while let piece = next(from: \.toController) { inner.send([Array(piece.bytes)]) }
        setTimer()
        if connection.withLock({ $0?.isEnding ?? false }) { inner.close() }
    }

    private func setTimer() {
        connection.withLock { connection in
            let lines = [connection?.toController, connection?.toHost]
            connection?.timer.set(to: lines.compactMap { $0?.nextDeadline }.min())
        }
    }

    private func next(
        from line: WritableKeyPath<Connection, FaultyLine>
    ) -> (bytes: ArraySlice<UInt8>, receive: @Sendable (TransportEvent) -> Void)? {
        connection.withLock { connection in
            guard let now = connection?.executor.now,
                let bytes = connection?[keyPath: line].nextArrived(now: now),
                let receive = connection?.receive
            else { return nil }
            return (bytes, receive)
        }
    }

    private func end(_ error: TransportError?) {
        let ended = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        ended?.timer.set(to: nil)
        let isInjected = ended?.isEnding == true && error == nil
        let reason = "closed after \(plan.closesAfter ?? 0) packets"
        ended?.receive(.closed(isInjected ? .injected(reason) : error))
    }
}
