// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import CoreBluetooth

/// A thread that does nothing but run its run loop, until it is let go.
///
/// - Note: Sendable since the run loop is only handed to closures that run on the thread, and to
///   streams, which may be scheduled from anywhere.
final class LoopThread: @unchecked Sendable {
    private let loop: RunLoop
    private let thread: Thread
    private let bell: RunLoopBell
    private let work: Work

    /// - Note: Sendable by its lock.
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

    /// - Note: Sendable since it is written before the semaphore is signalled and read after.
    private final class Start: @unchecked Sendable {
        var loop: RunLoop?
        var bell: RunLoopBell?
        let isReady = DispatchSemaphore(value: 0)
    }

    init(mode: RunLoop.Mode = .default) throws {
        let (start, work) = (Start(), Work())
        let thread = Thread {
            let bell = RunLoopBell(in: .current) { work.perform() }
            bell.hang(in: mode)
            start.loop = .current
            start.bell = bell
            start.isReady.signal()
            while !work.isDone, RunLoop.current.run(mode: mode, before: .distantFuture) {}
        }
        thread.start()
        start.isReady.wait()
        guard let loop = start.loop, let bell = start.bell else { throw CancellationError() }
        (self.loop, self.thread, self.bell, self.work) = (loop, thread, bell, work)
    }

    deinit {
        work.end()
        bell.ring()
    }

    /// Whether the caller runs on it.
    var isCurrent: Bool { Thread.current === thread }

    /// Hands the run loop to a caller of whatever thread.
    func withLoop<Value>(_ body: (RunLoop) -> Value) -> Value { body(loop) }

    /// Has something done on the thread, between two of the run loop's calls.
    func perform(_ block: @escaping @Sendable () -> Void) {
        work.add(block)
        bell.ring()
    }

    /// The same, and waits for it.
    func run(_ block: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            perform {
                block()
                done.resume()
            }
        }
    }
}
