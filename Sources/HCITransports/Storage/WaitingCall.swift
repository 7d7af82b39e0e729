// SPDX-License-Identifier: Apache-2.0

/// A system call that may wait without end, and that cancellation does not interrupt, for example
/// the opening of a pipe without a partner.
///
/// A program can end its process instead: ``endProcessWhenCancelled(_:)``.
package enum WaitingCall {
    private struct State {
        /// The number of calls that run.
        var running = 0
        var endProcess: (@Sendable () -> Void)?
    }

    private static let state = Lock(State())

    /// Sets the closure that ends the process. It is called if a call runs in a task that was
    /// canceled before the call, and by ``taskCancelled()``.
    package static func endProcessWhenCancelled(_ end: @escaping @Sendable () -> Void) {
        state.withLock { $0.endProcess = end }
    }

    /// Ends the process if a call runs. A program calls this after it has canceled its task.
    package static func taskCancelled() {
        let end = state.withLock { $0.running > 0 ? $0.endProcess : nil }
        end?()
    }

    /// Returns the result of `body`, which makes the system calls.
    package static func perform<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // The call is counted before the task is checked, so that a cancellation is either seen
        // here or finds the call.
        let end = state.withLock { state in
            state.running += 1
            return state.endProcess
        }
        defer { state.withLock { $0.running -= 1 } }
        if Task.isCancelled { end?() }
        return try body()
    }
}
