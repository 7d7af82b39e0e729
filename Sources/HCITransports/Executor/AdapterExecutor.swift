// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization

/// The thread on which everything of one adapter happens.
///
/// Actors that name it as their executor, tasks that prefer its `taskExecutor`, closures given to
/// `perform`, timers, and the descriptors of the transports opened on it all run on one thread, one after
/// another, in the order they were asked for; task priorities are ignored. The thread starts with
/// the first work. A turn of it is: run what is enqueued, fire the timers, write what was sent,
/// wait, read.
///
/// Call `shutDown()` when the adapter is not used any more: until then the thread, once started,
/// keeps the executor alive.
public final class AdapterExecutor: HostExecutor {
    /// How often in one turn work may bring forth more work before descriptors get their chance.
    static let roundsPerTurnLimit = 64

    /// How long a thread sleeps at most that nothing can wake, because the process had no
    /// descriptors left when it was to get its wake-up pipe. In milliseconds.
    static let sleepLimitWithoutWakeUp: Int32 = 10

    /// A thing to run.
    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    /// What other threads share with the adapter's.
    private struct Inbox {
        var work: [Work] = []
        /// Whether the thread waits, or is about to, and must be signalled.
        var isSleeping = false
        var isThreadRunning = false
        /// The right to join the thread, until `shutDown` takes it.
        var thread: SystemThread?
        var isShutDown = false
    }

    private let inbox = Mutex(Inbox())
    private let wakeUp = WakeUp()

    /// The identifier of the thread while it runs, otherwise zero.
    private let threadIdentifier = Atomic<UInt>(0)

    // The three below are touched by the adapter's thread only: `loop` checks it, `enqueue` asks
    // before it uses `ready`, and `batch` is private to the turn. When a thread ends and another
    // starts, the mutex of the inbox orders what the first wrote before what the second reads.
    private nonisolated(unsafe) let unguardedLoop = EventLoop()
    private nonisolated(unsafe) var ready: [Work] = []
    private nonisolated(unsafe) var batch: [Work] = []

    /// Makes an executor; its thread starts with the first work.
    public init() {}

    // MARK: What it offers

    /// The system's monotonic clock.
    public var now: Instant { SystemClock.monotonic }

    /// Runs `work` on the thread, after all that was enqueued before.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        enqueue(.closure(work))
    }

    /// Runs `work` when this turn has nothing left to do, before what was sent is written.
    public func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
        loop.performAtTurnEnd(work)
    }

    /// Makes a timer of this executor.
    public func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer {
        AdapterTimer(executor: self, fired: fired)
    }

    /// Whether the calling thread is this executor's.
    package var isCurrent: Bool {
        threadIdentifier.load(ordering: .relaxed) == SystemThread.currentIdentifier
    }

    /// The thread's own things, for code that runs on it; a trap for any other.
    var loop: EventLoop {
        precondition(isCurrent, "used off the adapter's thread")
        return unguardedLoop
    }

    // MARK: Executor

    /// Called by the runtime: a job of an actor is to run here.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    /// Called by the runtime when `assumeIsolated` finds no task: traps off the thread.
    public func checkIsolated() {
        precondition(isCurrent, "expected to run on the adapter's thread")
    }

    /// Called by the runtime to learn whether code outside of any task runs on the thread.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func enqueue(_ work: Work) {
        guard !isCurrent else { return ready.append(work) }
        let mustSignal = inbox.withLock { inbox in
            inbox.work.append(work)
            if !inbox.isThreadRunning { startThread(&inbox) }
            defer { inbox.isSleeping = false }
            return inbox.isSleeping
        }
        if mustSignal { wakeUp?.signal() }
    }
}

// MARK: - The thread

extension AdapterExecutor {
    /// Ends the thread when nothing is left to run, and waits until it has ended.
    ///
    /// Transports that are open close with `.closed(nil)`, those that are being opened fail with
    /// `.cancelled`, and timers never fire. Called on the executor's own thread, it cannot wait; the
    /// thread ends after its turn. Work enqueued later still runs, on a thread started for it: a
    /// task that hops here never hangs.
    public func shutDown() {
        let (thread, mustSignal) = inbox.withLock { inbox in
            defer {
                inbox.isShutDown = true
                inbox.isSleeping = false
                inbox.thread = nil
            }
            return (inbox.thread, inbox.isSleeping)
        }
        if mustSignal { wakeUp?.signal() }
        if isCurrent { thread?.detach() } else { thread?.join() }
    }

    private func startThread(_ inbox: inout Inbox) {
        guard let thread = SystemThread({ self.run() }) else {
            preconditionFailure("the system refuses to start another thread")
        }
        inbox.isThreadRunning = true
        if inbox.isShutDown { thread.detach() } else { inbox.thread = thread }
    }

    /// The life of the thread: turns, until it is shut down and nothing is left to run.
    private func run() {
        threadIdentifier.store(SystemThread.currentIdentifier, ordering: .relaxed)
        if let wakeUp {
            unguardedLoop.watch(wakeUp.readEnd, readable: true, writable: false, self)
        }
        repeat {
            runWork()
            if unguardedLoop.fireTimers() { runWork() }
            unguardedLoop.endTurn()
        } while waitForMore()
    }

    private func runWork() {
        for _ in 0..<Self.roundsPerTurnLimit {
            if ready.isEmpty {
                inbox.withLock { swap(&$0.work, &ready) }
                if ready.isEmpty { return }
            }
            swap(&batch, &ready)
            for work in batch { run(work) }
            batch.removeAll(keepingCapacity: true)
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .closure(let closure): closure()
        }
    }

    /// What a thread does after its turn.
    private enum Next {
        case poll, sleep, letGo, end
    }

    /// Polls, waiting only if there is nothing to run; false when the thread has to end.
    private func waitForMore() -> Bool {
        let next = inbox.withLock { decideNext(&$0) }
        switch next {
        case .poll: unguardedLoop.poll(timeout: 0)
        case .sleep:
            unguardedLoop.poll(timeout: sleepLimit)
            inbox.withLock { $0.isSleeping = false }
        case .letGo: unguardedLoop.removeAll()
        case .end: return false
        }
        return true
    }

    private func decideNext(_ inbox: inout Inbox) -> Next {
        guard ready.isEmpty, inbox.work.isEmpty, !unguardedLoop.isTurnUnfinished
        else { return .poll }
        guard inbox.isShutDown else {
            inbox.isSleeping = true
            return .sleep
        }
        // Letting go may free objects whose ends enqueue work, so there is a turn after it.
        guard unguardedLoop.isEmpty else { return .letGo }
        threadIdentifier.store(0, ordering: .relaxed)
        inbox.isThreadRunning = false
        return .end
    }

    private var sleepLimit: Int32 {
        let toNextTimer = unguardedLoop.millisecondsToNextTimer
        guard wakeUp == nil else { return toNextTimer }
        return toNextTimer < 0
            ? Self.sleepLimitWithoutWakeUp : min(toNextTimer, Self.sleepLimitWithoutWakeUp)
    }
}

extension AdapterExecutor: DescriptorHandler {
    /// The pipe was signalled: all there is to do is to empty it.
    func descriptorReady(readable: Bool, writable: Bool) {
        wakeUp?.consume()
    }

    func loopEnded() {}
}
