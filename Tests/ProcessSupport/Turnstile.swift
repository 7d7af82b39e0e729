// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Lets in as many tests at a time as the machine can serve: the runner starts all of them at once,
/// and a hundred Pythons on two cores miss every deadline.
package final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The one for tests that start processes. Such a test mostly waits, so two may share a core.
    package static let peers = Turnstile(limit: 2 * ProcessInfo.processInfo.activeProcessorCount)

    private let state: Mutex<State>

    package init(limit: Int) {
        state = Mutex(State(free: limit))
    }

    /// Waits for a place, in the order of the calls.
    package func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives the place to the next.
    package func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
