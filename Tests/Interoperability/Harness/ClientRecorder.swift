// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Records the server events of a host, until a test takes them.
actor ClientRecorder {
    private var events: [ServerEvent] = []
    private var waiter: CheckedContinuation<Void, Never>?
    private var work: Task<Void, Never>?

    /// Begins to observe.
    ///
    /// - Parameter answer: Receives each event first. Returns whether it has handled the event
    ///   completely.
    init(
        of host: BluetoothHost,
        answering answer: @escaping @Sendable (ServerEvent) -> Bool = { _ in false }
    ) async throws {
        let stream = try await host.serverEvents()
        work = Task { [weak self] in
            for await event in stream where !answer(event) { await self?.note(event) }
        }
    }

    deinit { work?.cancel() }

    /// Waits for the first event for which the closure returns a value, and removes the event.
    nonisolated func next<Value: Sendable>(
        _ what: String,
        _ choose: @escaping @Sendable (ServerEvent) -> Value?
    ) async throws -> Value {
        try await within(HostFixture.limit, what) { await self.take(choose) }
    }

    /// Waits for the first event that matches, and removes it.
    nonisolated func wait(
        for what: String,
        where condition: @escaping @Sendable (ServerEvent) -> Bool
    ) async throws {
        _ = try await next(what) { condition($0) ? $0 : nil }
    }

    /// Waits for the next link that exists. A link that was never established is skipped: its
    /// client has made another link.
    nonisolated func link() async throws -> Link {
        while true {
            let link = try await next("a link") { event -> Link? in
                if case .connected(let link) = event { link } else { nil }
            }
            if await link.host.links.contains(link) { return link }
        }
    }

    /// Waits until the client has subscribed in this way or, with `nil`, has unsubscribed.
    nonisolated func subscription(
        of handle: AttributeHandle,
        _ kind: GATT.SubscriptionKind?
    ) async throws {
        try await wait(for: "a subscription") {
            if case .subscribed(_, handle, kind) = $0 { true } else { false }
        }
    }

    /// Returns the number of recorded events that match.
    func count(where condition: (ServerEvent) -> Bool) -> Int { events.count(where: condition) }

    private func take<Value>(_ choose: (ServerEvent) -> Value?) async -> Value {
        while true {
            for (place, event) in events.enumerated() {
                guard let value = choose(event) else { continue }
                events.remove(at: place)
                return value
            }
            await withCheckedContinuation { waiter = $0 }
        }
    }

    private func note(_ event: ServerEvent) {
        events.append(event)
        waiter?.resume()
        waiter = nil
    }
}
