// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

/// An actor on a given executor.
private actor ExecutorActor {
    nonisolated let executor: AdapterExecutor
    private(set) var notes: [Int] = []

    init(_ executor: AdapterExecutor) {
        self.executor = executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    func note(_ number: Int) {
        notes.append(number)
    }

    var isOnThread: Bool { executor.isCurrent }

    nonisolated func noteFromClosure(_ number: Int) {
        assumeIsolated { $0.notes.append(number) }
    }
}

/// A handler that records its calls, and may request a call of another handler.
private final class RecordingHandler: TurnEndHandler {
    let number: Int
    let record: (Int) -> Void
    var next: (() -> Void)?

    init(_ number: Int, record: @escaping (Int) -> Void) {
        self.number = number
        self.record = record
    }

    func turnEnded() {
        record(number)
        next?()
    }
}

@Suite("Adapter executor", .timeLimit(.minutes(20)))
struct AdapterExecutorTests {
    @Test("Closures run in order on one thread of the executor")
    func order() async {
        await withExecutor { executor in
            let seen = Mutex<[Int]>([])
            for index in 0..<1000 {
                executor.perform {
                    #expect(executor.isCurrent)
                    seen.withLock { $0.append(index) }
                }
            }
            await executor.run {}
            #expect(!executor.isCurrent)
            #expect(seen.withLock { $0 } == Array(0..<1000))
        }
    }

    @Test("At the end of a turn, handlers are called in the order of their requests")
    func handlerOrder() {
        let loop = EventLoop { .zero }
        var calls: [Int] = []
        let handlers = (0..<4).map { RecordingHandler($0) { calls.append($0) } }
        // A handler may request the call of another one.
        handlers[0].next = { loop.callAtTurnEnd(handlers[3]) }
        for turn in 1...2 {
            for handler in handlers.prefix(3) { loop.callAtTurnEnd(handler) }
            loop.endTurn()
            #expect(calls == Array(repeating: [0, 1, 2, 3], count: turn).flatMap(\.self))
        }
        #expect(loop.isEmpty && !loop.isTurnUnfinished)
    }

    @Test("Turn-end work that is added by other turn-end work runs without further input")
    func nestedTurnEnd() async {
        await withExecutor { executor in
            await withCheckedContinuation { continuation in
                executor.perform {
                    executor.performAtTurnEnd {
                        executor.performAtTurnEnd { continuation.resume() }
                    }
                }
            }
        }
    }

    @Test("Work that is enqueued on the thread itself runs after the work that enqueues it")
    func nestedOrder() async {
        await withExecutor { executor in
            let seen = Mutex<[String]>([])
            await withCheckedContinuation { continuation in
                executor.perform {
                    executor.perform { seen.withLock { $0.append("second") } }
                    executor.perform { continuation.resume() }
                    seen.withLock { $0.append("first") }
                }
            }
            #expect(seen.withLock { $0 } == ["first", "second"])
        }
    }

    @Test("An actor can run on the executor")
    func actorJobs() async {
        await withExecutor { executor in
            let resident = ExecutorActor(executor)
            for number in 0..<100 { await resident.note(number) }
            #expect(await resident.notes == Array(0..<100))
            #expect(await resident.isOnThread)
        }
    }

    @Test("A closure on the executor may assume the isolation of an actor on that executor")
    func assumeIsolated() async {
        await withExecutor { executor in
            let resident = ExecutorActor(executor)
            await executor.run { resident.noteFromClosure(7) }
            #expect(await resident.notes == [7])
        }
    }

    @Test("Closures and an actor's jobs keep their common order")
    func mixedOrder() async {
        await withExecutor { executor in
            let resident = ExecutorActor(executor)
            await executor.run {
                for number in 0..<50 {
                    executor.perform { resident.noteFromClosure(number) }
                }
            }
            await resident.note(50)
            #expect(await resident.notes == Array(0...50))
        }
    }

    @Test("Assuming the executor's isolation on another thread traps")
    func assumeIsolatedElsewhere() async {
        await #expect(processExitsWith: .failure) {
            let resident = ExecutorActor(AdapterExecutor())
            resident.noteFromClosure(1)
        }
    }

    @Test("Using the executor's loop on another thread traps")
    func loopElsewhere() async {
        await #expect(processExitsWith: .failure) {
            _ = AdapterExecutor().loop
        }
    }

    @Test("A task that prefers the executor stays on its thread between suspensions")
    func taskPreference() async {
        await withExecutor { executor in
            let resident = ExecutorActor(executor)
            await Task(executorPreference: executor.taskExecutor) {
                #expect(executor.isCurrent)
                for number in 0..<10 {
                    await resident.note(number)
                    #expect(executor.isCurrent)
                    await Task.yield()
                    #expect(executor.isCurrent)
                }
                await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<4 { group.addTask { executor.isCurrent } }
                    for await isCurrent in group { #expect(isCurrent) }
                }
            }.value
            #expect(await resident.notes.count == 10)
        }
    }

    @Test("The end of a turn comes after all of its work and before the next turn")
    func turnEnd() async {
        await withExecutor { executor in
            let seen = Mutex<[String]>([])
            await withCheckedContinuation { continuation in
                executor.perform {
                    executor.performAtTurnEnd {
                        seen.withLock { $0.append("end") }
                        executor.perform { continuation.resume() }
                    }
                    executor.perform { seen.withLock { $0.append("work") } }
                }
            }
            #expect(seen.withLock { $0 } == ["work", "end"])
        }
    }

    @Test("Work that always enqueues more work does not delay the end of the turn")
    func endlessWork() async {
        await withExecutor { executor in
            let isDone = Mutex(false)
            let ended = Promise<Bool>()
            @Sendable func again() {
                guard !isDone.withLock({ $0 }) else { return }
                executor.perform { again() }
            }
            executor.perform {
                again()
                executor.performAtTurnEnd { ended.fulfil(true) }
            }
            #expect(await ended.value)
            isDone.withLock { $0 = true }
        }
    }
}

@Suite("Adapter executor shutdown")
struct AdapterExecutorShutDownTests {
    @Test("Shutting down runs the enqueued work and frees the executor")
    func shutDown() async {
        weak var freed: AdapterExecutor?
        let count = Mutex(0)
        do {
            let executor = AdapterExecutor()
            freed = executor
            for _ in 0..<100 { executor.perform { count.withLock { $0 += 1 } } }
            executor.shutDown()
            executor.shutDown()
        }
        #expect(count.withLock { $0 } == 100)
        #expect(freed == nil)
    }

    @Test("An executor that never ran needs no shutdown")
    func neverStarted() {
        weak var freed: AdapterExecutor?
        do {
            let executor = AdapterExecutor()
            freed = executor
            #expect(!executor.isCurrent)
        }
        #expect(freed == nil)
    }

    @Test("An executor can be shut down from its own thread")
    func shutDownFromWithin() async {
        let executor = AdapterExecutor()
        await executor.run { executor.shutDown() }
        #expect(await ExecutorActor(executor).isOnThread)
    }

    @Test("An actor that outlives the shutdown still runs")
    func lateWork() async {
        let executor = AdapterExecutor()
        let resident = ExecutorActor(executor)
        await resident.note(1)
        executor.shutDown()
        await resident.note(2)
        #expect(await resident.notes == [1, 2])
        #expect(await resident.isOnThread)
    }

    @Test("Work that a deinitializer enqueues on an ending thread is not lost")
    func workFromDeinit() async {
        final class DeinitObserver: Sendable {
            let released: @Sendable () -> Void
            init(released: @escaping @Sendable () -> Void) { self.released = released }
            deinit { released() }
        }
        let executor = AdapterExecutor()
        let received = Promise<Bool>()
        await executor.run {
            let observer = DeinitObserver { [weak executor] in
                executor?.perform { received.fulfil(true) }
            }
            let timer = executor.makeTimer { withExtendedLifetime(observer) {} }
            timer.set(to: Instant(nanoseconds: .max))
        }
        executor.shutDown()
        #expect(await received.value)
    }
}
