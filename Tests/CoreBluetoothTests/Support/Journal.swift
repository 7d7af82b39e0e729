// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Synchronization

/// What happened, line by line, in the order in which it happened; a test waits for a line instead of
/// for time to pass.
final class Journal: Sendable {
    /// Whose virtual time stands still but for the waits; nil if the test itself runs there.
    private let holder: (any HostExecutor)?

    private struct Waiter {
        let number: Int
        let condition: @Sendable ([String]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Waiter] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// - Parameter holder: for a test on a thread of its own, such as the main actor's: whose time is
    ///   to pass only while it waits for a line. It has begun outside work there before.
    init(holding holder: (any HostExecutor)? = nil) {
        self.holder = holder
    }

    /// All lines so far.
    var lines: [String] { state.withLock { $0.lines } }

    func add(_ line: String) {
        let ready = state.withLock { state in
            state.lines.append(line)
            let ready = state.waiters.filter { $0.condition(state.lines) }
            state.waiters.removeAll { waiter in ready.contains { $0.number == waiter.number } }
            return ready
        }
        for waiter in ready { resume(waiter) }
    }

    private func resume(_ waiter: Waiter) {
        holder?.beginOutsideWork()
        waiter.continuation.resume()
    }

    /// Begins again.
    func clear() {
        state.withLock { $0.lines = [] }
    }

    /// Returns when a line is there that is, or begins with, `text`.
    func wait(for text: String) async {
        await wait { lines in lines.contains { $0.hasPrefix(text) } }
    }

    /// Returns when there are that many lines that begin with `text`.
    func wait(for text: String, count: Int) async {
        await wait { lines in lines.count { $0.hasPrefix(text) } >= count }
    }

    /// Returns when the lines are as the condition has them. If they never are, it does not return until
    /// the task is cancelled: the bound of the air's run, or the test's time limit, says so.
    func wait(until condition: @escaping @Sendable ([String]) -> Bool) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if condition(state.lines) || Task.isCancelled { return true }
                    state.waiters.append(
                        Waiter(number: number, condition: condition, continuation: continuation)
                    )
                    return false
                }
                if isReady { continuation.resume() } else { holder?.endOutsideWork() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            if let waiter { resume(waiter) }
        }
    }
}
