// SPDX-License-Identifier: Apache-2.0
import HCITransports

// Taking turns with an application on other threads.
extension SimulationExecutor {
    /// The executor on whose behalf the application runs here, on whatever thread: tasks that it starts
    /// inherit it.
    @TaskLocal package static var beneficiary: SimulationExecutor?

    /// Calls the work, and knows where the tasks come from that it starts.
    public func performOutsideWork(_ work: () -> Void) {
        Self.$beneficiary.withValue(self) { work() }
    }

    /// The same thread for tasks that are on no actor.
    public var taskExecutor: any TaskExecutor { SimulationTaskExecutor(self) }

    /// Takes a job that would run elsewhere, and runs it as its own. False if there is nobody to run it.
    package func host(_ job: UnownedJob) -> Bool {
        enqueueGuest(job, SimulationTaskExecutor(self))
    }
}

/// Runs the jobs of tasks on an executor of virtual time.
private final class SimulationTaskExecutor: TaskExecutor {
    private let executor: SimulationExecutor

    init(_ executor: SimulationExecutor) {
        self.executor = executor
    }

    func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueueTask(UnownedJob(job), self)
    }
}
