// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// An executor with its own thread, for the host and the transports of one adapter.
///
/// The thread runs the jobs of actors with this executor, the jobs of tasks that prefer its
/// `taskExecutor`, the closures passed to `perform`, the timers, and the events of the transports
/// that were opened on the executor. They run one after another. The work that one thread enqueues
/// runs in the order of its requests, and task priorities are ignored. The executor's thread starts
/// with the first work. In each turn, it runs the enqueued work, fires the due timers, writes the
/// sent data, waits unless there is more work, and reads.
///
/// Call `shutDown()` when the adapter is no longer in use. Until then, a started thread keeps the
/// executor alive.
public final class AdapterExecutor: HostExecutor {
    /// The maximum number of rounds of work before the timers of a turn fire, and again after them.
    /// A round runs the work that was enqueued before it started. After these rounds, the turn
    /// continues even if there is more work.
    static let roundsPerTurnLimit = 64

    /// The maximum sleep of a thread without a wake-up pipe, in milliseconds. The pipe is missing
    /// if the process had no free descriptors when the executor was created.
    static let sleepLimitWithoutWakeUp: Int32 = 10

    private enum Work {
        case job(UnownedJob)
        /// A job of a task that prefers the task executor.
        case taskJob(UnownedJob, HostTaskExecutor)
        case closure(@Sendable () -> Void)
    }

    /// The state that other threads share with the executor's thread.
    private struct Inbox {
        var work: [Work] = []
        /// Whether the thread waits, or is about to wait, and must be signaled.
        var isSleeping = false
        var isThreadRunning = false
        /// The thread that `shutDown` joins; `nil` if there is none.
        var thread: SystemThread?
        var isShutDown = false
    }

    private let inbox = Lock(Inbox())
    private let wakeUp = WakeUp()

    /// The mark of the executor's thread, by which `isCurrent` recognizes it.
    private let threadMark = ThreadMark()

    // Only the executor's thread accesses the following three properties. `loop` checks the thread,
    // `enqueue` checks it before it uses `ready`, and only the current turn uses `batch`. When one
    // thread ends and another starts, the lock of the inbox orders the writes of the first before
    // the reads of the second.
    private nonisolated(unsafe) let uncheckedLoop: EventLoop
    // Accesses of the two arrays never overlap: one to `ready` runs no other code, and only
    // `runWork`, which is not called recursively, uses `batch`.
    @exclusivity(unchecked)
    private nonisolated(unsafe) var ready: [Work] = []
    @exclusivity(unchecked)
    private nonisolated(unsafe) var batch: [Work] = []

    private let clock: @Sendable () -> Instant

    /// Creates an executor, whose thread starts with the first work.
    public convenience init() {
        self.init(clock: { SystemClock.monotonic })
    }

    /// Creates an executor with another clock for its timers. The clock must be monotonic.
    init(clock: @escaping @Sendable () -> Instant) {
        self.clock = clock
        uncheckedLoop = EventLoop(clock: clock)
    }

    // MARK: HostExecutor

    /// The time of the system's monotonic clock.
    public var now: Instant { clock() }

    /// Runs `work` on the executor's thread, after all work that the calling thread has enqueued.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        enqueue(.closure(work))
    }

    /// Runs `work` on the thread, and returns when it has ended.
    func performAndWait(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            perform {
                work()
                continuation.resume()
            }
        }
    }

    /// Runs `work` at the end of this turn, before the sent data is written. A call on another
    /// thread traps.
    public func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
        loop.performAtTurnEnd(work)
    }

    /// Creates a timer of this executor.
    public func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer {
        AdapterTimer(executor: self, fired: fired)
    }

    /// Whether the calling thread is the executor's thread.
    package var isCurrent: Bool { threadMark.isCurrent }

    /// The event loop of the thread. Access from another thread traps.
    var loop: EventLoop {
        precondition(isCurrent, "used outside of the adapter's thread")
        return uncheckedLoop
    }

    // MARK: Executor

    /// Enqueues a job of an actor. The Swift runtime calls this.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    /// Enqueues a job of a task.
    func enqueue(_ job: UnownedJob, of executor: HostTaskExecutor) {
        enqueue(.taskJob(job, executor))
    }

    /// Traps unless the calling thread is the executor's. The Swift runtime calls this, for example
    /// for `assumeIsolated`.
    public func checkIsolated() {
        precondition(isCurrent, "expected to run on the adapter's thread")
    }

    /// Returns whether the calling thread is the executor's. The Swift runtime calls this.
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
    /// Ends the thread when it has no more work, and waits until it has ended.
    ///
    /// Open transports with a descriptor close with `.closed(nil)`. Those that are opening fail
    /// with `.cancelled`, except for a `UserChannelTransport`: it takes its adapter first, and
    /// closes after it has opened. Timers no longer fire. A call on the executor's own thread does
    /// not wait. Work that is enqueued later still runs, on a new thread, so that a task that
    /// switches to this executor never hangs.
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
            preconditionFailure("the system cannot start another thread")
        }
        inbox.isThreadRunning = true
        if inbox.isShutDown { thread.detach() } else { inbox.thread = thread }
    }

    /// Runs turns until the executor is shut down and has no more work.
    private func run() {
        let isOnlyThread = threadMark.set()
        precondition(isOnlyThread, "the executor has two threads")
        if let wakeUp {
            uncheckedLoop.watch(wakeUp.readEnd, readable: true, writable: false, self)
        }
        repeat {
            runWork()
            if uncheckedLoop.fireTimers() { runWork() }
            uncheckedLoop.endTurn()
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
        case .taskJob(let job, let executor): executor.run(job)
        case .closure(let closure): closure()
        }
    }

    private enum Next {
        case poll, sleep, release, end
    }

    /// Polls the descriptors, and waits for them if there is no work. After `shutDown()`, it does
    /// not wait: if there is no work, it removes the descriptors and timers, and then ends the
    /// thread by returning `false`.
    private func waitForMore() -> Bool {
        let next = inbox.withLock { decideNext(&$0) }
        switch next {
        case .poll: uncheckedLoop.poll(timeout: 0)
        case .sleep:
            uncheckedLoop.poll(timeout: sleepLimit)
            inbox.withLock { $0.isSleeping = false }
        case .release: uncheckedLoop.removeAll()
        case .end: return false
        }
        return true
    }

    private func decideNext(_ inbox: inout Inbox) -> Next {
        guard ready.isEmpty, inbox.work.isEmpty, !uncheckedLoop.isTurnUnfinished
        else { return .poll }
        guard inbox.isShutDown else {
            inbox.isSleeping = true
            return .sleep
        }
        // The removal may free objects whose `deinit` enqueues work, so another turn follows.
        guard uncheckedLoop.isEmpty else { return .release }
        threadMark.clear()
        inbox.isThreadRunning = false
        return .end
    }

    private var sleepLimit: Int32 {
        let toNextTimer = uncheckedLoop.millisecondsToNextTimer
        guard wakeUp == nil else { return toNextTimer }
        return toNextTimer < 0
            ? Self.sleepLimitWithoutWakeUp : min(toNextTimer, Self.sleepLimitWithoutWakeUp)
    }
}

extension AdapterExecutor: DescriptorHandler {
    /// Removes the signal from the wake-up pipe.
    func descriptorReady(readable: Bool, writable: Bool) {
        wakeUp?.consume()
    }

    func loopEnded() {}
}
