// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A thread that does nothing but run its run loop, for streams that want to be scheduled in one: an
/// application's main thread may not run any.
///
/// Unchecked: the run loop is set before anybody has this, and streams schedule themselves in it from
/// any thread.
final class RunLoopThread: @unchecked Sendable {
    /// The one for all streams of this process: there is little to do on it. It never ends.
    static let streams = RunLoopThread(name: "Lanyard streams")

    let loop: RunLoop

    init(name: String) {
        let started = DispatchSemaphore(value: 0)
        // Written before the signal, read after the wait.
        nonisolated(unsafe) var loop = RunLoop.main
        let thread = Thread {
            loop = RunLoop.current
            // A run loop without any source ends at once.
            let idle = Timer(timeInterval: .greatestFiniteMagnitude, repeats: true) { _ in }
            loop.add(idle, forMode: .default)
            started.signal()
            while true { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        thread.name = name
        thread.start()
        started.wait()
        self.loop = loop
    }
}
