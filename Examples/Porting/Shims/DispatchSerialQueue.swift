// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A serial queue that can be the executor of an actor.
///
/// On Linux every `DispatchQueue` is of one class. Do not use a concurrent queue as an executor.
public typealias DispatchSerialQueue = DispatchQueue

extension DispatchQueue: @retroactive SerialExecutor {
    /// Runs a job of the actor as a block of the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Stops the program unless the caller runs on the queue: for `assumeIsolated` in a delegate's
    /// method.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(self))
    }
}
