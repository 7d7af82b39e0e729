// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A handler that turns SIGINT and SIGTERM into the cancellation of a task, so that links are
/// disconnected. The second signal ends the process at once.
final class Interruption: Sendable {
    private struct State {
        var count = 0
        var cancel: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    /// Runs `body`, canceled by the first signal. A second signal calls `beforeExit` and
    /// ends the process.
    static func canceling<Value: Sendable>(
        beforeExit: @escaping @Sendable () -> Void,
        body: @escaping @Sendable () async -> Value
    ) async -> Value {
        let interruption = Interruption()
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { interruption.signalArrived(beforeExit: beforeExit) }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        let task = Task { await body() }
        let isTooLate = interruption.state.withLock { state in
            state.cancel = { task.cancel() }
            return state.count > 0
        }
        if isTooLate { task.cancel() }
        return await task.value
    }

    private func signalArrived(beforeExit: () -> Void) {
        let (count, cancel) = state.withLock { state in
            state.count += 1
            return (state.count, state.cancel)
        }
        guard count > 1 else { return cancel() }
        beforeExit()
        _exit(ProcessStatus.interrupted.rawValue)
    }
}
