// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAdapters

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The steering of an app's tasks, so that their jobs run on the air to which they belong.
///
/// Swift runs default actors, and code that is on no actor, on its own threads. An air cannot
/// observe when that work ends. For each such job, the runtime calls
/// `swift_task_enqueueGlobal_hook`, a hook that other testing libraries also use. Here the hook
/// passes the job of a task to the air that caused the task, directly or indirectly. The job runs
/// on the air's thread, in the order of enqueuing. All other jobs run as usual.
///
/// The *owner* of a task is the air that caused it. The hook finds the owner in this order:
/// 1. The owner that is registered for the task's number, if the task ran before.
/// 2. The task-local value `SimulationExecutor.owner`, which a task inherits from the task
///    that starts it.
/// 3. The air on whose thread the hook is called.
/// 4. On the main queue, the air that has its turn (`MainQueueTurn`).
enum JobSteering {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
    private typealias TaskNumber = @convention(thin) (UnownedJob) -> UInt64

    /// The maximum number of tasks in `owners`. When it is reached, `owners` replaces
    /// `formerOwners`, whose tasks are then no longer found by number.
    private static let taskLimit = 65_536

    private struct Registry {
        var airs: [SimulationExecutor] = []
        var owners: [UInt64: SimulationExecutor] = [:]
        var formerOwners: [UInt64: SimulationExecutor] = [:]

        mutating func note(_ task: UInt64, of air: SimulationExecutor) {
            // An air that has ended must not be kept alive by its remaining tasks.
            guard airs.contains(where: { $0 === air }) else { return }
            if owners.count >= taskLimit { (formerOwners, owners) = (owners, [:]) }
            owners[task] = air
        }

        func owner(of task: UInt64) -> SimulationExecutor? { owners[task] ?? formerOwners[task] }
    }

    private static let registry = Lock(Registry())

    /// Whether the runtime has the required hook and functions.
    static let isAvailable: Bool = install()

    /// Passes the jobs of the air's tasks to the air while the body runs.
    static func steering<Value>(
        to air: SimulationExecutor,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard isAvailable else { return try await body() }
        registry.withLock { $0.airs.append(air) }
        defer {
            registry.withLock { registry in
                if let index = registry.airs.firstIndex(where: { $0 === air }) {
                    registry.airs.remove(at: index)
                }
                registry.owners = registry.owners.filter { $0.value !== air }
                registry.formerOwners = registry.formerOwners.filter { $0.value !== air }
            }
        }
        return try await body()
    }

    /// Passes the job to the air to which it belongs.
    ///
    /// - Returns: `false` if it belongs to none, or to an air that does not run.
    private static func steer(_ job: UnownedJob) -> Bool {
        // Jobs that are not tasks, such as those in which an actor runs, have no number.
        let number = taskNumber.map { $0(job) }.flatMap { $0 == 0 ? nil : $0 }
        let owner = registry.withLock { registry -> SimulationExecutor? in
            guard !registry.airs.isEmpty else { return nil }
            if let number, let owner = registry.owner(of: number) { return owner }
            let owner =
                SimulationExecutor.owner ?? registry.airs.first(where: \.isCurrent)
                ?? MainQueueTurn.holderOnMainQueue
            if let owner, let number { registry.note(number, of: owner) }
            return owner
        }
        return owner?.host(job) ?? false
    }

    private static let taskNumber: TaskNumber? = symbol("swift_task_getJobTaskId").map {
        unsafeBitCast($0, to: TaskNumber.self)
    }

    /// The hook that was installed before, which this hook calls.
    nonisolated(unsafe) private static var former: Hook?

    /// Installs the hook, once in a process. It stays installed, and does nothing while no world
    /// runs.
    ///
    /// Only this function writes `former`, before the hook that reads it can be called.
    private static func install() -> Bool {
        guard taskNumber != nil, let place = symbol("swift_task_enqueueGlobal_hook") else {
            return false
        }
        let hook = place.assumingMemoryBound(to: Hook?.self)
        former = hook.pointee
        hook.pointee = { job, original in
            guard !JobSteering.steer(job) else { return }
            if let former = JobSteering.former { former(job, original) } else { original(job) }
        }
        return true
    }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        // `RTLD_DEFAULT`, a macro that Swift does not import.
        #if os(Linux)
            dlsym(nil, name)
        #else
            dlsym(UnsafeMutableRawPointer(bitPattern: -2), name)
        #endif
    }
}
