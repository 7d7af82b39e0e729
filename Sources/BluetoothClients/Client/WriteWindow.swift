// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// The number of writes without response that wait on a peripheral's connection. The calling
/// threads increase it. The adapter decreases it when a write was sent or dropped.
package final class WriteWindow: Sendable {
    /// The number of waiting writes at which `canSendWriteWithoutResponse` becomes `false`.
    package static let limit = 64
    /// The number of waiting writes at which further writes are dropped.
    static let overflowLimit = 1_024
    /// The number of waiting writes at which the application is informed that there is space. It is
    /// lower than the limit, so that a batch of writes causes one call.
    static let lowWater = limit / 2

    private struct State {
        var unsent = 0
        var isCallbackPending = false
    }

    private let state = Lock(State())

    package init() {}

    package var hasRoom: Bool { state.withLock { $0.unsent < Self.limit } }

    /// Counts a write. Returns `false` if it has to be dropped.
    package func take() -> Bool {
        state.withLock { state in
            guard state.unsent < Self.overflowLimit else { return false }
            state.unsent += 1
            if state.unsent >= Self.limit { state.isCallbackPending = true }
            return true
        }
    }

    /// Counts a write that was sent or dropped. Returns whether to inform the application of space.
    package func release() -> Bool {
        state.withLock { state in
            state.unsent -= 1
            guard state.isCallbackPending, state.unsent <= Self.lowWater else { return false }
            state.isCallbackPending = false
            return true
        }
    }
}
