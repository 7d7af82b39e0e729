// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Synchronization

/// A transport that a test scripts.
final class ScriptedTransport: HCITransport {
    /// The body of `open` for each attempt, counted from one. `open` returns when the body returns.
    typealias Opening =
        @Sendable (_ attempt: Int, ScriptedTransport) async throws(TransportError) ->
        Void

    private struct State {
        var openCount = 0
        var isOpen = false
        var sentWhileClosed = 0
        var executor: (any HostExecutor)?
        var receive: (@Sendable (TransportEvent) -> Void)?
        var returned: (@Sendable () -> Void)?
        var watchEnds = 0
    }

    let name = "scripted"
    private let opening: Opening
    private let state = Mutex(State())

    init(opening: @escaping Opening = { _, _ in }) {
        self.opening = opening
    }

    /// The number of calls of `open`.
    var openCount: Int { state.withLock { $0.openCount } }

    /// The number of packets that were sent while the transport was closed.
    var sentWhileClosed: Int { state.withLock { $0.sentWhileClosed } }

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        let attempt = state.withLock { state in
            state.openCount += 1
            state.isOpen = true
            state.executor = executor
            state.receive = receive
            return state.openCount
        }
        do throws(TransportError) {
            try await opening(attempt, self)
        } catch {
            state.withLock { $0.isOpen = false }
            throw error
        }
    }

    /// The number of watches that ended.
    var watchEnds: Int { state.withLock { $0.watchEnds } }

    func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)? {
        state.withLock { $0.returned = returned }
        return Watch(transport: self)
    }

    private final class Watch: TransportWatch {
        let transport: ScriptedTransport

        init(transport: ScriptedTransport) {
            self.transport = transport
        }

        func end() {
            transport.state.withLock { $0.watchEnds += 1 }
        }
    }

    /// Announces to the host that the adapter has returned.
    func announceReturn() {
        let (executor, returned) = state.withLock { ($0.executor, $0.returned) }
        executor?.perform { returned?() }
    }

    func send(_ packets: [[UInt8]]) {
        state.withLock { state in
            if !state.isOpen { state.sentWhileClosed += 1 }
        }
    }

    func close() {
        if state.withLock({ $0.isOpen }) { deliver(.closed(nil)) }
    }

    /// Delivers an event to the host.
    func deliver(_ event: TransportEvent) {
        let (executor, receive) = state.withLock { state in
            if case .closed = event { state.isOpen = false }
            return (state.executor, state.receive)
        }
        executor?.perform { receive?(event) }
    }
}

/// An event that occurs once and that tasks can await. Canceling a task ends its wait.
final class OneTimeEvent: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func occur() {
        continuation.finish()
    }

    /// Returns when the event has occurred, or when the task is canceled.
    func wait() async {
        for await _ in stream {}
    }
}
