// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The moment until which a test waits for something outside it, at most.
package struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// The moment `duration` from now.
    package static func within(_ duration: Duration) -> Deadline {
        Deadline(instant: .now + duration)
    }

    /// A moment so far away that whatever is waited for ends before.
    package static let never = within(.seconds(365 * 86_400))

    /// What is left, as poll(2) wants it: in milliseconds, and zero when the moment has passed.
    package var milliseconds: Int32 {
        let left = ContinuousClock.now.duration(to: instant) / .milliseconds(1)
        return Int32(min(max(left.rounded(.up), 0), Double(Int32.max)))
    }
}

/// Runs a blocking body on a thread of its own, so that no thread of the test runner is held.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(with: Result(catching: body))
        }
    }
}
