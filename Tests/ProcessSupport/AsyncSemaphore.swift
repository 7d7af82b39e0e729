// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A limit on the number of tests that run at the same time. The test runner starts all tests at
/// once, and the processes of many tests on few cores miss deadlines.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The semaphore for tests that start processes. Such a test mostly waits, so two may share a
    /// core.
    package static let peers = AsyncSemaphore(
        limit: 2 * ProcessInfo.processInfo.activeProcessorCount
    )

    private let state: Mutex<State>

    package init(limit: Int) {
        state = Mutex(State(free: limit))
    }

    /// Waits until the caller may run, in the order of the calls. Tests that return from
    /// `releasing` are first.
    package func wait() async { await wait(isFirst: false) }

    private func wait(isFirst: Bool) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.insert(continuation, at: isFirst ? 0 : state.waiting.count)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Lets the next waiting test run in place of the caller.
    package func signal() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }

    /// Lets another test run while `body` waits for time to pass. Then waits until the caller may
    /// run again, before all tests that wait in `wait()`.
    package func releasing<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        signal()
        do {
            let value = try await body()
            await wait(isFirst: true)
            return value
        } catch {
            await wait(isFirst: true)
            throw error
        }
    }
}
