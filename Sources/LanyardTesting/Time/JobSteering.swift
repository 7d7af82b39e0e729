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
/// Swift runs code that is on no actor, and default actors, on its own threads, and the end of that
/// work cannot be observed. For each such job, the runtime calls `swift_task_enqueueGlobal_hook`, a
/// hook that other testing libraries also use. Here the hook passes the job of a task to the air
/// that caused the task, directly or indirectly. The job runs on the air's thread, in the order of
/// enqueuing. All other jobs run as usual.
///
/// The owner of a task is found by the task's number if the task ran before, whichever thread
/// resumes it. Otherwise it is found by a task-local value that tasks inherit from the task that
/// starts them, or because the caller is on the air's thread, or on the main queue during the air's
/// turn (`MainQueueTurn`).
enum JobSteering {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
    private typealias TaskNumber = @convention(thin) (UnownedJob) -> UInt64

    /// The maximum number of tasks in a generation of the registry. The owners of older tasks may
    /// not be found by number.
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

    /// Passes jobs to the air while the body runs.
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
    /// - Returns: `false` if it belongs to none.
    private static func steer(_ job: UnownedJob) -> Bool {
        // Jobs that are not tasks, such as those in which an actor runs, have no number.
        let number = taskNumber.map { $0(job) }.flatMap { $0 == 0 ? nil : $0 }
        let owner = registry.withLock { registry -> SimulationExecutor? in
            guard !registry.airs.isEmpty else { return nil }
            if let number, let owner = registry.owner(of: number) { return owner }
            let owner =
                SimulationExecutor.beneficiary ?? registry.airs.first(where: \.isCurrent)
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
        // The default search order, whose macro Swift does not import.
        #if os(Linux)
            dlsym(nil, name)
        #else
            dlsym(UnsafeMutableRawPointer(bitPattern: -2), name)
        #endif
    }
}
