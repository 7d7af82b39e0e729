// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import VirtualAdapters

/// Whose turn it is on the main queue, which all airs of a process share.
///
/// The main actor's jobs go to the main queue, and no hook tells of them. So one air after the other has
/// its application run, from the first thing that the air has it do until the main queue has run empty
/// of what came of it: what the main thread starts meanwhile belongs to that air. It is empty when a
/// closure at its end has run, a few times over.
final class MainQueueTurn: ApplicationWatch {
    private static let turn = DispatchSemaphore(value: 1)
    private static let currentHolder = Mutex<SimulationExecutor?>(nil)

    /// Tells the main queue from others. Its thread does not: here it is served by one of the pool, once
    /// a program's main function waits.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// The air whose application is on the main queue, if that is where the caller is.
    static var holderOnMainQueue: SimulationExecutor? {
        guard DispatchQueue.getSpecific(key: mark) == true else { return nil }
        return currentHolder.withLock { $0 }
    }

    private let executor: @Sendable () -> SimulationExecutor?

    init(_ executor: SimulationExecutor) {
        self.executor = { [weak executor] in executor }
    }

    func willWork() {
        Self.turn.wait()
        Self.currentHolder.withLock { $0 = executor() }
    }

    func settle(_ settled: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async(execute: settled)
    }

    func rests() {
        Self.currentHolder.withLock { $0 = nil }
        Self.turn.signal()
    }

    func giveBack(_ job: UnownedJob) {
        globalConcurrentExecutor.enqueue(job)
    }
}
