// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite("Bells of a run loop")
struct RunLoopBellTests {
    /// Makes a bell that counts its calls, in the run loop of its own thread.
    private func bell(
        on thread: LoopThread,
        mode: RunLoop.Mode = .default,
        rung: @escaping @Sendable () -> Void
    ) -> RunLoopBell {
        thread.withLoop { loop in
            let bell = RunLoopBell(in: loop, rung: rung)
            bell.hang(in: mode)
            return bell
        }
    }

    /// Rings a bell once. Returns whether it was called on the thread of its run loop.
    private func ring(on thread: LoopThread, mode: RunLoop.Mode = .default) async -> Bool {
        let kept = Mutex<RunLoopBell?>(nil)
        let isThere = await withCheckedContinuation { called in
            let bell = bell(on: thread, mode: mode) { called.resume(returning: thread.isCurrent) }
            kept.withLock { $0 = bell }
            bell.ring()
        }
        kept.withLock { $0 }?.takeFromAll()
        return isThere
    }

    @Test("A bell wakes its run loop and is called on its thread")
    func wakes() async throws {
        let thread = try LoopThread()
        for _ in 0..<200 { #expect(await ring(on: thread)) }
    }

    @Test("Several rings before the call cause one call")
    func coalescing() async throws {
        let thread = try LoopThread()
        let count = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { entered in
            thread.perform {
                entered.resume()
                gate.wait()
            }
        }
        let bell = bell(on: thread) { count.withLock { $0 += 1 } }
        for _ in 0..<100 { bell.ring() }
        gate.signal()
        while count.withLock({ $0 }) == 0 { await thread.run {} }
        await thread.run {}
        await thread.run {}
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A bell that was removed from its run loop is not called")
    func removedBell() async throws {
        let thread = try LoopThread()
        let count = Mutex(0)
        let bell = bell(on: thread) { count.withLock { $0 += 1 } }
        bell.take(from: .default)
        bell.ring()
        await thread.run {}
        await thread.run {}
        #expect(count.withLock { $0 } == 0)
        #expect(bell.modes.isEmpty)
    }

    @Test("A bell is called only in its modes")
    func modes() async throws {
        let mode = RunLoop.Mode("apart")
        let thread = try LoopThread(mode: mode)
        let count = Mutex(0)
        let elsewhere = bell(on: thread, mode: .default) { count.withLock { $0 += 1 } }
        elsewhere.ring()
        await thread.run {}
        #expect(count.withLock { $0 } == 0)
        elsewhere.take(from: .default)
        #expect(await ring(on: thread, mode: mode))
    }

    @Test("A run loop runs while it has a bell")
    func runsWithBell() async {
        let (before, during, after) = await withCheckedContinuation { answer in
            Thread.detachNewThread {
                let loop = RunLoop.current
                let before = loop.run(mode: .default, before: .now)
                let bell = RunLoopBell(in: loop) {}
                bell.hang(in: .default)
                let during = loop.run(mode: .default, before: .now)
                bell.takeFromAll()
                // Removes the block with which the bell outlives a call.
                _ = loop.run(mode: .default, before: .now)
                let after = loop.run(mode: .default, before: .now)
                answer.resume(returning: (before, during, after))
            }
        }
        #expect(!before)
        #expect(during)
        #expect(!after)
    }

    @Test("A run loop returns after the call of a bell")
    func returnsAfterCall() async {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                let bell = RunLoopBell(in: .current) {}
                bell.hang(in: .default)
                DispatchQueue.global().async { bell.ring() }
                // Would not return if the call did not count as a handled event.
                _ = RunLoop.current.run(mode: .default, before: .distantFuture)
                bell.takeFromAll()
                done.resume()
            }
        }
    }
}
