// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import VirtualAdapters

/// Brings the tasks of an application to the air that they belong to.
///
/// Swift runs what is on no actor, and default actors, on threads of its own, where nobody can tell when
/// they are done. Its runtime asks `swift_task_enqueueGlobal_hook` about each of their jobs, as other
/// testing libraries know as well. Here the job of a task that an air caused, however indirectly, is
/// handed to that air and runs on its thread, in the order in which it was enqueued; everything else
/// goes its way. Whose a task is, is known by its number when it comes back, whoever resumes it; before
/// that by a task-local value that tasks inherit from those who start them, and by the air's thread.
enum JobSteering {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
    private typealias TaskNumber = @convention(thin) (UnownedJob) -> UInt64

    /// How many tasks are known by their number; of more, the oldest are found in other ways or not.
    private static let taskLimit = 65_536

    private struct Registry {
        var airs: [SimulationExecutor] = []
        var owners: [UInt64: SimulationExecutor] = [:]
        var formerOwners: [UInt64: SimulationExecutor] = [:]

        mutating func note(_ task: UInt64, of air: SimulationExecutor) {
            // What an air that has come to its end left behind would keep it for ever.
            guard airs.contains(where: { $0 === air }) else { return }
            if owners.count >= taskLimit { (formerOwners, owners) = (owners, [:]) }
            owners[task] = air
        }

        func owner(of task: UInt64) -> SimulationExecutor? { owners[task] ?? formerOwners[task] }
    }

    private static let registry = Mutex(Registry())
    private static let airCount = Atomic<Int>(0)

    /// Whether the runtime offers what this needs.
    static let isAvailable: Bool = install()

    /// Steers jobs to the air for as long as the body runs.
    static func steering<Value>(
        to air: SimulationExecutor,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard isAvailable else { return try await body() }
        registry.withLock { $0.airs.append(air) }
        airCount.add(1, ordering: .sequentiallyConsistent)
        defer {
            airCount.subtract(1, ordering: .sequentiallyConsistent)
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

    /// Hands the job to the air that it belongs to. False if it belongs to none.
    private static func steer(_ job: UnownedJob) -> Bool {
        guard airCount.load(ordering: .relaxed) > 0 else { return false }
        // Jobs that are no tasks, as those in which an actor takes its turn, have no number.
        let number = taskNumber.map { $0(job) }.flatMap { $0 == 0 ? nil : $0 }
        let owner = registry.withLock { registry -> SimulationExecutor? in
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

    /// What was installed before, and is asked after us.
    nonisolated(unsafe) private static var former: Hook?

    /// Once in a process: an installed hook stays, and does nothing while no world runs.
    ///
    /// `former` is written here only, before the hook can be called that reads it.
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

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }
}
