// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HCITransports
import VirtualAdapters

/// The turn of an air on the main queue, which all airs of a process share.
///
/// The jobs of the main actor go to the main queue without a hook. So the airs take turns: an air's
/// turn lasts from the first work that it causes in its app until the main queue is empty.
/// Work that the main thread starts meanwhile belongs to that air. The main queue is empty when a
/// closure at its end has run, several times in a row.
final class MainQueueTurn: ApplicationWatch {
    private static let turn = DispatchSemaphore(value: 1)
    private static let currentHolder = Lock<SimulationExecutor?>(nil)

    /// The key that marks the main queue. The main thread does not identify the queue, because on
    /// Linux a thread of the pool serves it once a program's main function waits.
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// The air that has its turn, if the caller is on the main queue; otherwise `nil`.
    static var holderOnMainQueue: SimulationExecutor? {
        guard DispatchQueue.getSpecific(key: mark) == true else { return nil }
        return currentHolder.withLock { $0 }
    }

    private let executor: @Sendable () -> SimulationExecutor?

    init(_ executor: SimulationExecutor) {
        self.executor = { [weak executor] in executor }
    }

    func applicationWillRun() {
        Self.turn.wait()
        Self.currentHolder.withLock { $0 = executor() }
    }

    func settle(times count: Int, _ settled: @escaping @Sendable () -> Void) {
        DispatchQueue.main.async {
            if count > 1 { self.settle(times: count - 1, settled) } else { settled() }
        }
    }

    func applicationBecameIdle() {
        Self.currentHolder.withLock { $0 = nil }
        Self.turn.signal()
    }

    func runElsewhere(_ job: UnownedJob) {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            preconditionFailure("no simulated air runs on a system without task executors")
        }
        globalConcurrentExecutor.enqueue(job)
    }
}
