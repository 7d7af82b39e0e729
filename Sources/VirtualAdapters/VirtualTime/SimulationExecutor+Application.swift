// SPDX-License-Identifier: Apache-2.0
import HCITransports

// The alternation between this executor and an application on other threads.
extension SimulationExecutor {
    /// The executor to which the running code of the application belongs, on any thread. Tasks that
    /// this code starts inherit it.
    @TaskLocal package static var owner: SimulationExecutor?

    /// Calls `work`, so that tasks that it starts are known to belong to this executor.
    public func performOutsideWork(_ work: () -> Void) {
        Self.$owner.withValue(self) { work() }
    }

    /// A task executor on the same thread, for tasks that are not on an actor.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public var taskExecutor: any TaskExecutor { SimulationTaskExecutor(self) }

    /// Runs a job of another executor on this executor's thread.
    ///
    /// - Returns: `false`, without running it, if the executor does not run, or watches no
    ///   application.
    package func host(_ job: UnownedJob) -> Bool {
        enqueueForeignJob(job, SimulationTaskExecutor(self))
    }
}

/// A task executor that runs jobs on an executor of virtual time.
final class SimulationTaskExecutor: Sendable {
    private let executor: SimulationExecutor

    init(_ executor: SimulationExecutor) {
        self.executor = executor
    }

    /// Runs a job on the executor's thread.
    func run(_ job: UnownedJob) {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            preconditionFailure("no simulated air runs on a system without task executors")
        }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulationTaskExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueueTask(UnownedJob(job), self)
    }
}
