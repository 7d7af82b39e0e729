// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The latest moment until which a test waits for an event outside of the test.
package struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// Returns the moment that is `duration` from now.
    package static func within(_ duration: Duration) -> Deadline {
        Deadline(instant: .now + duration)
    }

    /// A moment so far away that any wait ends before it.
    package static let never = within(.seconds(365 * 86_400))

    /// The remaining time as poll(2) expects it: in milliseconds, and zero when the moment has
    /// passed.
    package var milliseconds: Int32 {
        let left = ContinuousClock.now.duration(to: instant) / .milliseconds(1)
        return Int32(min(max(left.rounded(.up), 0), Double(Int32.max)))
    }
}

/// Runs a blocking body on a thread of its own, so that it blocks no thread of the test runner.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(with: Result(catching: body))
        }
    }
}
