// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// When something was sent last.
final class Instants: Sendable {
    private let state = Mutex(ContinuousClock.now)

    /// The instant that was noted last.
    var last: ContinuousClock.Instant { state.withLock { $0 } }

    /// Notes that it is now.
    func note() { state.withLock { $0 = .now } }
}

extension DispatchSemaphore {
    /// Waits without holding up a thread of Swift's.
    func signalled() async {
        await withCheckedContinuation { continuation in
            Self.waiters.async {
                self.wait()
                continuation.resume()
            }
        }
    }

    private static let waiters = DispatchQueue(label: "waiters", attributes: .concurrent)
}

extension ScriptedController {
    /// Sends packets, and notes when.
    func send(_ packets: [[UInt8]], notingIn instants: Instants) {
        instants.note()
        send(packets)
    }
}
