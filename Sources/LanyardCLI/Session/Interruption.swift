// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Synchronization

/// A handler that turns SIGINT, SIGTERM and SIGHUP into the cancellation of a task, so that links
/// are disconnected. A second SIGINT or SIGTERM ends the process at once, as the first one does
/// while the process waits for the partner of a pipe (`WaitingCall`).
final class Interruption: Sendable {
    private struct State {
        var count = 0
        var cancel: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    /// Runs `body`, canceled by the first signal. A second signal calls `beforeExit` and
    /// ends the process, unless it is SIGHUP, which both the kernel and a shell may send when a
    /// terminal closes. If the process ignores SIGHUP, as `nohup` makes it do, it still does.
    static func canceling<Value: Sendable>(
        beforeExit: @escaping @Sendable () -> Void,
        body: @escaping @Sendable () async -> Value
    ) async -> Value {
        let interruption = Interruption()
        WaitingCall.endProcessWhenCancelled { endProcess(beforeExit) }
        let numbers = [SIGINT, SIGTERM, SIGHUP]
        let sources = numbers.compactMap { number -> (any DispatchSourceSignal)? in
            let wasIgnored = isIgnored(signal(number, SIG_IGN))
            guard number != SIGHUP || !wasIgnored else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { interruption.signalArrived(number, beforeExit: beforeExit) }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        let task = Task { await body() }
        let isTooLate = interruption.state.withLock { state in
            state.cancel = { cancel(task) }
            return state.count > 0
        }
        if isTooLate { cancel(task) }
        return await task.value
    }

    private static func cancel(_ task: Task<some Sendable, Never>) {
        task.cancel()
        WaitingCall.taskCancelled()
    }

    private static func endProcess(_ beforeExit: () -> Void) {
        beforeExit()
        _exit(ProcessStatus.interrupted.rawValue)
    }

    private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private func signalArrived(_ number: Int32, beforeExit: () -> Void) {
        let (count, cancel) = state.withLock { state in
            state.count += 1
            return (state.count, state.cancel)
        }
        guard count > 1 else { return cancel() }
        guard number != SIGHUP else { return }
        Self.endProcess(beforeExit)
    }
}
