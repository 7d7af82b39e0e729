// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Triggers of a run loop")
struct RunLoopTriggerTests {
    /// Creates a trigger that counts its calls, in the run loop of its own thread.
    private func trigger(
        on thread: LoopThread,
        mode: RunLoop.Mode = .default,
        handler: @escaping @Sendable () -> Void
    ) -> RunLoopTrigger {
        thread.withLoop { loop in
            let trigger = RunLoopTrigger(in: loop, handler: handler)
            trigger.add(in: mode)
            return trigger
        }
    }

    /// Fires a trigger once. Returns whether it was called on the thread of its run loop.
    private func fire(on thread: LoopThread, mode: RunLoop.Mode = .default) async -> Bool {
        let kept = Mutex<RunLoopTrigger?>(nil)
        let isThere = await withCheckedContinuation { called in
            let trigger = trigger(on: thread, mode: mode) {
                called.resume(returning: thread.isCurrent)
            }
            kept.withLock { $0 = trigger }
            trigger.fire()
        }
        kept.withLock { $0 }?.takeFromAll()
        return isThere
    }

    @Test("A trigger wakes its run loop and is called on its thread")
    func wakes() async throws {
        let thread = try LoopThread()
        for _ in 0..<200 { #expect(await fire(on: thread)) }
    }

    @Test("A trigger that fires several times before the call is called once")
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
        let trigger = trigger(on: thread) { count.withLock { $0 += 1 } }
        for _ in 0..<100 { trigger.fire() }
        gate.signal()
        while count.withLock({ $0 }) == 0 { await thread.run {} }
        await thread.run {}
        await thread.run {}
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A trigger that was removed from its run loop is not called")
    func removedTrigger() async throws {
        let thread = try LoopThread()
        let count = Mutex(0)
        let trigger = trigger(on: thread) { count.withLock { $0 += 1 } }
        trigger.take(from: .default)
        trigger.fire()
        await thread.run {}
        await thread.run {}
        #expect(count.withLock { $0 } == 0)
        #expect(trigger.modes.isEmpty)
    }

    @Test("A trigger is called only in its modes")
    func modes() async throws {
        let mode = RunLoop.Mode("apart")
        let thread = try LoopThread(mode: mode)
        let count = Mutex(0)
        let elsewhere = trigger(on: thread, mode: .default) { count.withLock { $0 += 1 } }
        elsewhere.fire()
        await thread.run {}
        #expect(count.withLock { $0 } == 0)
        elsewhere.take(from: .default)
        #expect(await fire(on: thread, mode: mode))
    }

    @Test("A run loop runs while it has a trigger")
    func runsWithTrigger() async {
        let (before, during, after) = await withCheckedContinuation { answer in
            Thread.detachNewThread {
                let loop = RunLoop.current
                let before = loop.run(mode: .default, before: .now)
                let trigger = RunLoopTrigger(in: loop) {}
                trigger.add(in: .default)
                let during = loop.run(mode: .default, before: .now)
                trigger.takeFromAll()
                // The trigger adds a block to the run loop so that it outlives a call. This call
                // removes the block.
                _ = loop.run(mode: .default, before: .now)
                let after = loop.run(mode: .default, before: .now)
                answer.resume(returning: (before, during, after))
            }
        }
        #expect(!before)
        #expect(during)
        #expect(!after)
    }

    @Test("A run loop returns after the call of a trigger")
    func returnsAfterCall() async {
        await withCheckedContinuation { done in
            Thread.detachNewThread {
                let trigger = RunLoopTrigger(in: .current) {}
                trigger.add(in: .default)
                DispatchQueue.global().async { trigger.fire() }
                // The run loop would not return if the call did not count as a handled event.
                _ = RunLoop.current.run(mode: .default, before: .distantFuture)
                trigger.takeFromAll()
                done.resume()
            }
        }
    }
}
