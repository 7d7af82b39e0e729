// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// The time of the last send.
final class Instants: Sendable {
    private let state = Mutex(ContinuousClock.now)

    /// The last recorded instant.
    var last: ContinuousClock.Instant { state.withLock { $0 } }

    /// Records the current instant.
    func note() { state.withLock { $0 = .now } }
}

extension DispatchSemaphore {
    /// Waits without blocking a thread of Swift's.
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
    /// Sends packets, and records the time.
    func send(_ packets: [[UInt8]], notingIn instants: Instants) {
        instants.note()
        send(packets)
    }
}
