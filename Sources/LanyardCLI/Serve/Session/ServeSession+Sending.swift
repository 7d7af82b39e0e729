// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothPort
import BluetoothTypes

// Sending values.
extension ServeSession {
    /// Creates the send queue of a client.
    func open(_ link: any CentralLink) -> SendQueue {
        let queue = SendQueue()
        state.withLock { $0.queues[link.identifier] = queue }
        return queue
    }

    /// Closes all send queues.
    func closeQueues() {
        let queues = state.withLock { state in
            defer { state.queues = [:] }
            return state.queues.values
        }
        for queue in queues { queue.close() }
    }

    /// Sends the values of a queue to its client until the queue is closed.
    func run(
        _ queue: SendQueue,
        on link: any CentralLink,
        _ published: ServedTable
    ) async throws {
        try await queue.run(on: link) { value, error in
            let attribute = published.attribute(value.handle)
            if let error {
                guard !(error is CancellationError) else { return }
                let reason = (error as? PortError)?.reasonText ?? "\(error)"
                try environment.report(.unsent(link.address, attribute, reason: reason))
            } else if environment.isVerbose {
                try environment.report(.sent(link.address, attribute, value.value))
            }
        }
    }

    /// Appends a value to a client's queue.
    func send(
        _ value: [UInt8],
        of handle: AttributeHandle,
        to link: any CentralLink,
        _ published: ServedTable
    ) throws {
        let queue = state.withLock { $0.queues[link.identifier] }
        let attributeValue = GATT.AttributeValue(handle: handle, value: value)
        guard let queue, !queue.send(attributeValue) else { return }
        let attribute = published.attribute(handle)
        try environment.report(.unsent(link.address, attribute, reason: "the client is too slow"))
    }

    /// Advances and sends the values that have a period.
    func keepTime(on adapter: some PeripheralAdapter, _ published: ServedTable) async throws {
        let periods = state.withLock { $0.values.periods }
        var schedule = PeriodSchedule(periods, now: adapter.currentTime)
        while let deadline = schedule.nextDeadline {
            let now = adapter.currentTime
            if deadline > now { try await environment.sleep(deadline - now) }
            for handle in schedule.takeDue(now: adapter.currentTime) {
                let value = state.withLock { $0.values.advance(handle) }
                try await sendToAll(value, of: published.attribute(handle), adapter)
            }
        }
        await EndOfInput.never()
    }

    /// Sends a value to the subscribed clients, except those to which it cannot be sent at once.
    private func sendToAll(
        _ value: [UInt8],
        of attribute: ServedAttribute,
        _ adapter: some PeripheralAdapter
    ) async throws {
        for link in await adapter.subscribers(of: attribute.handle) {
            let isSent = try? await link.tryNotify(value, of: attribute.handle)
            guard isSent == true, environment.isVerbose else { continue }
            try environment.report(.sent(link.address, attribute, value))
        }
    }
}

/// The queue of values for one client. Each client has its own task, which sends a value after the
/// previous one has left. A slow client therefore does not delay other clients.
struct SendQueue: Sendable {
    /// The maximum number of values that wait for a slow client. Further values are not sent.
    static let limit = 1_024

    private let values: AsyncStream<GATT.AttributeValue>
    private let feed: AsyncStream<GATT.AttributeValue>.Continuation

    init() {
        (values, feed) = AsyncStream.makeStream(
            of: GATT.AttributeValue.self,
            bufferingPolicy: .bufferingOldest(Self.limit)
        )
    }

    /// Appends a value. Returns `false` if the queue is full.
    func send(_ value: GATT.AttributeValue) -> Bool {
        if case .dropped = feed.yield(value) { false } else { true }
    }

    /// Sends the values until the queue is closed.
    func run(
        on link: any CentralLink,
        sent: @Sendable (GATT.AttributeValue, (any Error)?) throws -> Void
    ) async throws {
        for await value in values {
            do {
                try await link.notify(value.value, of: value.handle)
            } catch {
                try sent(value, error)
                continue
            }
            try sent(value, nil)
        }
    }

    /// Closes the queue.
    func close() {
        feed.finish()
    }
}
