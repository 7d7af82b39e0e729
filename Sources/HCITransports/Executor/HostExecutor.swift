// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The executor of a host and its transport. It runs one unit of work at a time, in the order in
/// which each thread requests it, and has a clock.
///
/// `AdapterExecutor` is the implementation for real time. A test may use one with virtual time.
public protocol HostExecutor: SerialExecutor {
    /// The current time of a monotonic clock.
    var now: Instant { get }

    /// Runs `work` after all work that the calling thread has enqueued, including jobs of actors
    /// and tasks.
    ///
    /// May be called on any thread. A call on the executor's thread returns before `work` runs.
    func perform(_ work: @escaping @Sendable () -> Void)

    /// Runs `work` once, at the end of the current turn and before the executor waits.
    ///
    /// Use it to send the data of a whole turn together. Called on the executor only.
    func performAtTurnEnd(_ work: @escaping @Sendable () -> Void)

    /// Creates a timer that runs `fired` on this executor each time its deadline has passed.
    func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer

    /// Reports that work outside of the executor has started as a result of work on it, for example
    /// on a queue of the application. That work may enqueue more work here.
    ///
    /// An executor with virtual time stops its clock until `endOutsideWork()` has been called as
    /// often as this method. Otherwise, time would advance while the outside work runs. The default
    /// implementation does nothing, because real time does not stop. May be called on any thread.
    func beginOutsideWork()

    /// Reports that outside work has ended and has enqueued all its work for this executor. May be
    /// called on any thread.
    func endOutsideWork()

    /// Calls `work`, which `beginOutsideWork()` has reported, on the current thread.
    ///
    /// An executor with virtual time can then assign the tasks that `work` starts to itself. The
    /// default implementation only calls `work`.
    func performOutsideWork(_ work: () -> Void)
}

extension HostExecutor {
    /// Does nothing.
    public func beginOutsideWork() {}

    /// Does nothing.
    public func endOutsideWork() {}

    /// Calls `work`.
    public func performOutsideWork(_ work: () -> Void) { work() }

    /// A task executor on the same thread, for tasks without an actor that often call actors of
    /// this executor: `withTaskExecutorPreference(executor.taskExecutor)`.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public var taskExecutor: any TaskExecutor { HostTaskExecutor(self) }
}

/// A task executor that runs the jobs of tasks on a host's executor.
///
/// It is not the host's executor itself, because an executor must run the jobs of tasks and those
/// of actors in different ways, and cannot distinguish them. If it ran a task's job like an
/// actor's, the runtime would enqueue the job again at each suspension, because the job would be on
/// the wrong executor.
final class HostTaskExecutor: Sendable {
    private let host: any HostExecutor
    /// The host's executor if it can run the job of a task without a closure around it.
    private let adapter: AdapterExecutor?

    init(_ host: any HostExecutor) {
        self.host = host
        adapter = host as? AdapterExecutor
    }

    /// Runs a job that `enqueue` got. Call it on the host's executor.
    func run(_ job: UnownedJob) {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            preconditionFailure("only a system with task executors has jobs for them")
        }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension HostTaskExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let adapter { return adapter.enqueue(job, of: self) }
        host.perform { self.run(job) }
    }
}

/// A timer of an executor, which is used on that executor only.
///
/// Setting a deadline is inexpensive, so a core's next deadline can be set after every input.
public protocol HostTimer: Sendable {
    /// Replaces the deadline. `nil` means no deadline. With a deadline in the past, the timer fires
    /// soon after the method has returned.
    func set(to deadline: Instant?)
}

extension Task where Failure == Never {
    /// Starts a task whose code without an actor runs on the thread of `executor`.
    ///
    /// Systems before iOS 18 and macOS 15 have no task executors. On such a system, that code runs
    /// on Swift's shared threads, as it does without an executor.
    ///
    /// - Parameter executor: `nil` for Swift's shared threads.
    @discardableResult
    package init(
        preferring executor: (any HostExecutor)?,
        operation: sending @escaping () async -> Success
    ) {
        if let executor, #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(executorPreference: executor.taskExecutor, operation: operation)
        } else {
            self.init(operation: operation)
        }
    }
}
