// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How many writes without response a peripheral's connection has under way: counted up by who calls, on
/// any thread, and down by the adapter, when the controller has taken them.
final class WriteWindow: Sendable {
    /// How many may be under way before `canSendWriteWithoutResponse` says no.
    static let limit = 64
    /// How many are kept of those that are asked for all the same; more are dropped.
    static let overflowLimit = 1_024
    /// How few must be left before the application is told that there is room: a batch costs it one call.
    static let lowWater = limit / 2

    private struct State {
        var unsent = 0
        var owesNews = false
    }

    private let state = Mutex(State())

    var hasRoom: Bool { state.withLock { $0.unsent < Self.limit } }

    /// Counts one more; false if it is to be dropped.
    func take() -> Bool {
        state.withLock { state in
            guard state.unsent < Self.overflowLimit else { return false }
            state.unsent += 1
            if state.unsent >= Self.limit { state.owesNews = true }
            return true
        }
    }

    /// Counts one less; true if the application waits to be told of room, and there is.
    func release() -> Bool {
        state.withLock { state in
            state.unsent -= 1
            guard state.owesNews, state.unsent <= Self.lowWater else { return false }
            state.owesNews = false
            return true
        }
    }
}
