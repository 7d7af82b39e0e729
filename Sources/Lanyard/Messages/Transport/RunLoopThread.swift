// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A thread that only runs its run loop, for streams that need one. Not every app's main thread
/// runs a run loop.
///
/// Unchecked: the run loop is set before the initializer returns, and streams may schedule
/// themselves in it from any thread.
final class RunLoopThread: @unchecked Sendable {
    /// The thread for all streams of the process, which need little work. It never ends.
    static let streams = RunLoopThread(name: "Lanyard streams")

    let loop: RunLoop

    init(name: String) {
        let started = DispatchSemaphore(value: 0)
        // The new thread writes this before the signal; the initializer reads it after the wait.
        nonisolated(unsafe) var loop = RunLoop.main
        let thread = Thread {
            loop = RunLoop.current
            // A run loop without a source would end at once.
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
