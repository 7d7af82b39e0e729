// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation

@testable import BluetoothClients
@testable import CoreBluetooth

/// A thread that only runs its run loop, until it is released.
///
/// - Note: Sendable because the run loop is only passed to streams and triggers, which may be added
///   to it on any thread.
final class LoopThread: @unchecked Sendable {
    private let loop: RunLoop
    private let thread: Thread
    private let trigger: RunLoopTrigger
    private let work: Work
    private let outsideWork: (any OutsideWork)?

    /// - Note: Sendable because of its lock.
    private final class Work: @unchecked Sendable {
        private let lock = NSLock()
        private var blocks: [() -> Void] = []
        private var isOver = false

        var isDone: Bool { lock.withLock { isOver && blocks.isEmpty } }

        func add(_ block: @escaping () -> Void) { lock.withLock { blocks.append(block) } }
        func end() { lock.withLock { isOver = true } }

        func perform() {
            lock.lock()
            let blocks = blocks
            self.blocks = []
            lock.unlock()
            for block in blocks { block() }
        }
    }

    /// - Note: Sendable because it is written before the semaphore is signaled and read after that.
    private final class Start: @unchecked Sendable {
        var loop: RunLoop?
        var trigger: RunLoopTrigger?
        let isReady = DispatchSemaphore(value: 0)
    }

    /// Starts the thread.
    ///
    /// - Parameter outsideWork: A virtual time that does not advance while the thread performs
    ///   blocks.
    init(mode: RunLoop.Mode = .default, outsideWork: (any OutsideWork)? = nil) throws {
        self.outsideWork = outsideWork
        let (start, work) = (Start(), Work())
        let thread = Thread {
            let trigger = RunLoopTrigger(in: .current) { work.perform() }
            trigger.add(in: mode)
            start.loop = .current
            start.trigger = trigger
            start.isReady.signal()
            while !work.isDone, RunLoop.current.run(mode: mode, before: .distantFuture) {}
        }
        thread.start()
        start.isReady.wait()
        guard let loop = start.loop, let trigger = start.trigger else { throw CancellationError() }
        (self.loop, self.thread, self.trigger, self.work) = (loop, thread, trigger, work)
    }

    deinit {
        work.end()
        trigger.fire()
    }

    var isCurrent: Bool { Thread.current === thread }

    /// Passes the run loop to `body`, on the calling thread.
    func withLoop<Value>(_ body: (RunLoop) -> Value) -> Value { body(loop) }

    /// Performs a block on the thread, between two calls of the run loop.
    func perform(_ block: @escaping @Sendable () -> Void) {
        outsideWork?.beginOutsideWork()
        work.add { [outsideWork] in
            block()
            outsideWork?.endOutsideWork()
        }
        trigger.fire()
    }

    /// Performs a block on the thread, and waits for it.
    func run(_ block: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            perform {
                block()
                done.resume()
            }
        }
    }
}
