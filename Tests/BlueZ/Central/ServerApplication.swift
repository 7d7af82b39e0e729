// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport

/// The application behind the served database. It provides the dynamic values, and records the
/// actions of clients.
actor ServerApplication {
    private var events: [ServerEvent] = []
    /// The tasks that wait for an event that has not arrived yet.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var work: Task<Void, Never>?
    /// The value of `ServerFixture.dynamic`.
    private(set) var content = ServerFixture.countdown

    /// Begins to observe the host and to answer requests for the handles of dynamic values.
    init(of host: BluetoothHost, dynamic: AttributeHandle?) async throws {
        let stream = try await host.serverEvents()
        work = Task { [weak self] in
            for await event in stream { await self?.receive(event, dynamic) }
        }
    }

    deinit { work?.cancel() }

    /// Waits for the first event that matches, and removes it.
    nonisolated func next<Value: Sendable>(
        _ what: String,
        _ choose: @escaping @Sendable (ServerEvent) -> Value?
    ) async throws -> Value {
        try await within(Limits.step, what) { try await self.take(choose) }
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

    /// Waits until the link has ended.
    nonisolated func disconnection(of link: Link) async throws {
        _ = try await next("the end of the link") { event -> Bool? in
            if case .disconnected(link, _) = event { true } else { nil }
        }
    }

    /// Waits until a client has subscribed in this way or, with `nil`, has unsubscribed.
    nonisolated func subscription(
        of handle: AttributeHandle,
        _ kind: GATT.SubscriptionKind?
    ) async throws {
        _ = try await next("a subscription of \(handle)") { event -> Bool? in
            if case .subscribed(_, handle, kind) = event { true } else { nil }
        }
    }

    /// Waits until a client has written a value that the server holds. Returns all entries of that
    /// write.
    nonisolated func written(_ handle: AttributeHandle) async throws -> [GATT.WriteEntry] {
        try await next("a write of \(handle)") { event -> [GATT.WriteEntry]? in
            guard case .written(_, let entries) = event,
                entries.contains(where: { $0.handle == handle })
            else { return nil }
            return entries
        }
    }

    /// Returns the number of recorded events that end a link or change a subscription to a value.
    /// Events that another call has removed do not count.
    func changeCount(of handle: AttributeHandle) -> Int {
        events.count { event in
            switch event {
            case .disconnected, .subscribed(_, handle, _): true
            default: false
            }
        }
    }

    private func take<Value>(_ choose: (ServerEvent) -> Value?) async throws -> Value {
        while true {
            try Task.checkCancellation()
            for (place, event) in events.enumerated() {
                guard let value = choose(event) else { continue }
                events.remove(at: place)
                return value
            }
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    private func receive(_ event: ServerEvent, _ dynamic: AttributeHandle?) {
        switch event {
        case .read(let request): answer(request, dynamic)
        case .write(let request): answer(request, dynamic)
        default: break
        }
        events.append(event)
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    private func answer(_ request: ReadRequest, _ dynamic: AttributeHandle?) {
        guard request.handle == dynamic else { return request.refuse(ServerFixture.refusal) }
        guard request.offset <= content.count else { return request.refuse(.invalidOffset) }
        request.respond(with: Array(content[request.offset...]))
    }

    private func answer(_ request: WriteRequest, _ dynamic: AttributeHandle?) {
        guard request.entries.allSatisfy({ $0.handle == dynamic }) else {
            return request.refuse(ServerFixture.refusal)
        }
        content = request.entries.reduce(into: []) { $0 += $1.value }
        request.accept()
    }
}
