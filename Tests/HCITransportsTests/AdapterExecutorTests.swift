// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

/// An actor that lives on an executor it is given.
private actor Resident {
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

@Suite("Adapter executor", .timeLimit(.minutes(1)))
struct AdapterExecutorTests {
    @Test("closures run in the order they were given, on one thread that is not ours")
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

    @Test("what the end of a turn adds to the end of a turn runs before the thread waits")
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

    @Test("work given from the thread itself runs after the work that gives it")
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

    @Test("an actor can live on it")
    func actorJobs() async {
        await withExecutor { executor in
            let resident = Resident(executor)
            for number in 0..<100 { await resident.note(number) }
            #expect(await resident.notes == Array(0..<100))
            #expect(await resident.isOnThread)
        }
    }

    @Test("a closure on it may assume the isolation of an actor that lives there")
    func assumeIsolated() async {
        await withExecutor { executor in
            let resident = Resident(executor)
            await executor.run { resident.noteFromClosure(7) }
            #expect(await resident.notes == [7])
        }
    }

    @Test("a closure and an actor's jobs keep the order in which they were given")
    func mixedOrder() async {
        await withExecutor { executor in
            let resident = Resident(executor)
            await executor.run {
                for number in 0..<50 {
                    executor.perform { resident.noteFromClosure(number) }
                }
            }
            await resident.note(50)
            #expect(await resident.notes == Array(0...50))
        }
    }

    @Test("assuming its isolation on another thread traps")
    func assumeIsolatedElsewhere() async {
        await #expect(processExitsWith: .failure) {
            let resident = Resident(AdapterExecutor())
            resident.noteFromClosure(1)
        }
    }

    @Test("touching a transport's stream off the thread traps")
    func loopElsewhere() async {
        await #expect(processExitsWith: .failure) {
            _ = AdapterExecutor().loop
        }
    }

    @Test("a task that prefers it stays on the thread between its suspensions")
    func taskPreference() async {
        await withExecutor { executor in
            let resident = Resident(executor)
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

    @Test("the end of a turn comes after all its work, and before the next turn")
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

    @Test("work that always brings forth more does not keep the end of the turn away")
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

@Suite("Adapter executor's end")
struct AdapterExecutorShutDownTests {
    @Test("shutting down runs what is enqueued, and frees the executor")
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

    @Test("an executor that never ran needs no shutting down")
    func neverStarted() {
        weak var freed: AdapterExecutor?
        do {
            let executor = AdapterExecutor()
            freed = executor
            #expect(!executor.isCurrent)
        }
        #expect(freed == nil)
    }

    @Test("it may be shut down from its own thread")
    func shutDownFromWithin() async {
        let executor = AdapterExecutor()
        await executor.run { executor.shutDown() }
        #expect(await Resident(executor).isOnThread)
    }

    @Test("an actor that outlives the shut-down still runs")
    func lateWork() async {
        let executor = AdapterExecutor()
        let resident = Resident(executor)
        await resident.note(1)
        executor.shutDown()
        await resident.note(2)
        #expect(await resident.notes == [1, 2])
        #expect(await resident.isOnThread)
    }

    @Test("work enqueued by what a dying thread lets go of is not lost")
    func workFromDeinit() async {
        final class Farewell: Sendable {
            let said: @Sendable () -> Void
            init(said: @escaping @Sendable () -> Void) { self.said = said }
            deinit { said() }
        }
        let executor = AdapterExecutor()
        let heard = Promise<Bool>()
        await executor.run {
            let farewell = Farewell { [weak executor] in
                executor?.perform { heard.fulfil(true) }
            }
            let timer = executor.makeTimer { withExtendedLifetime(farewell) {} }
            timer.set(to: Instant(nanoseconds: .max))
        }
        executor.shutDown()
        #expect(await heard.value)
    }
}
