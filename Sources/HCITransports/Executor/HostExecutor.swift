// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Where a host and its transport run: one thing at a time, in the order it was asked for, with a
/// clock of its own.
///
/// `AdapterExecutor` is the real one. A test may bring one whose time is virtual.
public protocol HostExecutor: SerialExecutor {
    /// The time now, on a clock that never goes back.
    var now: Instant { get }

    /// Runs `work` after all that was enqueued before, jobs of actors and tasks included.
    ///
    /// May be called from anywhere; never runs `work` before it returns.
    func perform(_ work: @escaping @Sendable () -> Void)

    /// Runs `work` once, when nothing is left to do in this turn and before waiting for the next.
    ///
    /// This is where what was gathered during a turn leaves as one. Called on the executor only.
    func performAtTurnEnd(_ work: @escaping @Sendable () -> Void)

    /// Makes a timer that runs `fired` on this executor each time a deadline set on it has passed.
    func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer

    /// Something that came of what ran here is being done elsewhere from now on, and may come back
    /// with more: on a queue of the application's, for example.
    ///
    /// Where time is virtual, it stands still until as many `endOutsideWork()` have followed: otherwise
    /// it would pass as fast as nothing is to be done here. By default this does nothing, because real
    /// time waits for nobody. May be called from anywhere.
    func beginOutsideWork()

    /// Something that was told of by `beginOutsideWork()` is done; what it asked for in here has been
    /// enqueued before. May be called from anywhere.
    func endOutsideWork()

    /// Calls `work`, which was told of by `beginOutsideWork()`, on the thread that does it.
    ///
    /// Where time is virtual, the executor then knows where the tasks come from that `work` starts. By
    /// default it is just called.
    func performOutsideWork(_ work: () -> Void)
}

extension HostExecutor {
    /// Does nothing.
    public func beginOutsideWork() {}

    /// Does nothing.
    public func endOutsideWork() {}

    /// Calls it.
    public func performOutsideWork(_ work: () -> Void) { work() }

    /// The same thread for tasks that are on no actor, to be preferred by those that exchange much
    /// with the actors there: `withTaskExecutorPreference(executor.taskExecutor)`.
    public var taskExecutor: any TaskExecutor { HostTaskExecutor(self) }
}

/// Runs the jobs of tasks on a host's executor.
///
/// An object of its own, because an executor is not told whether a job belongs to an actor. Run as
/// if it did, a task's job would find itself in the wrong place at each suspension, and be enqueued
/// once more.
private final class HostTaskExecutor: TaskExecutor {
    private let host: any HostExecutor

    init(_ host: any HostExecutor) {
        self.host = host
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        host.perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A timer of one executor, and used on that executor only.
///
/// Setting it costs no allocation, so that a core's next deadline may be set after every input.
public protocol HostTimer: Sendable {
    /// Replaces the deadline; nil means never. A deadline in the past fires in the next turn.
    func set(to deadline: Instant?)
}
