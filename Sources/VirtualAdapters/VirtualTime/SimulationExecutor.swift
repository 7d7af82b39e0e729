// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import Synchronization
import VirtualRadio

/// Where hosts run whose time is virtual: on the thread that runs their `SimulatedAir`, and while
/// it does.
///
/// Any number of hosts may share one. Their jobs, closures, ends of turns and timers run one after
/// another, in the order they were asked for, so that the same program does the same again. Time
/// stands still while there is anything left to run, and then jumps to what is due next.
///
/// Work may be enqueued from any thread. Only what comes from the running thread itself comes in an
/// order that is the same in every run.
public final class SimulationExecutor: HostExecutor {
    /// How many pieces of work may run in one instant before the instant is taken for endless.
    package static let workPerInstantLimit = 10_000_000

    fileprivate enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    fileprivate struct State {
        var now = Instant.zero
        var work: [Work] = []
        var turnEnd: [@Sendable () -> Void] = []
        var timers = EventHeap<@Sendable () -> Void>()
        /// How much has run at this instant.
        var ranCount = 0
        /// How much is being done elsewhere that time waits for.
        var outsideWorkCount = 0
        /// Whether the thread waits for others to enqueue something.
        var isWaiting = false
    }

    private let state = Mutex(State())
    private let wakeUp = WakeUp()
    /// The thread that runs what is enqueued; zero while none does.
    private let thread = Atomic<UInt>(0)

    init() {}

    // MARK: What it offers

    /// The time of the world.
    public var now: Instant { state.withLock { $0.now } }

    /// Runs `work` after all that was enqueued before.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        enqueue(.closure(work))
    }

    /// Runs `work` when nothing is left to do at this instant, before time goes on.
    public func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.turnEnd.append(work) }
    }

    /// Makes a timer in virtual time.
    public func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer {
        SimulationTimer(executor: self, fired: fired)
    }

    /// Has time stand still until `endOutsideWork()`.
    public func beginOutsideWork() {
        state.withLock { $0.outsideWorkCount += 1 }
    }

    /// Lets time go on, if nothing else is being done elsewhere.
    public func endOutsideWork() {
        let mustSignal = state.withLock { state in
            precondition(state.outsideWorkCount > 0, "work ended that had not begun")
            state.outsideWorkCount -= 1
            guard state.outsideWorkCount == 0 else { return false }
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustSignal { wakeUp?.signal() }
    }

    // MARK: Executor

    /// Called by the runtime: a job of an actor is to run here.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    /// Called by the runtime when `assumeIsolated` finds no task: traps off the running thread.
    public func checkIsolated() {
        precondition(isCurrent, "expected to run on the thread that runs the simulated air")
    }

    /// Called by the runtime to learn whether code outside of any task runs on the thread.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func enqueue(_ work: Work) {
        let mustSignal = state.withLock { state in
            state.work.append(work)
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if mustSignal { wakeUp?.signal() }
    }
}

// MARK: - Who runs it

extension SimulationExecutor {
    /// Whether the calling thread runs it just now.
    package var isCurrent: Bool {
        thread.load(ordering: .relaxed) == SystemThread.currentIdentifier
    }

    /// Whether some thread runs it just now.
    package var isRunning: Bool { thread.load(ordering: .relaxed) != 0 }

    /// Makes the calling thread the one on which all runs, for as long as `body` takes.
    func adoptingThread<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let (isFree, _) = thread.compareExchange(
            expected: 0,
            desired: SystemThread.currentIdentifier,
            ordering: .acquiring
        )
        precondition(isFree, "a simulated air is run by one thread at a time, and not from within")
        defer { thread.store(0, ordering: .releasing) }
        return try body()
    }

    /// Whether anything is ready to run at this instant.
    var isReady: Bool {
        state.withLock { !$0.work.isEmpty || !$0.turnEnd.isEmpty }
    }

    /// When the next timer fires; nil if none is set.
    var nextDeadline: Instant? { state.withLock { $0.timers.firstInstant } }

    /// Runs all that is ready, and what that brings forth, until nothing is left at this instant.
    /// False if there is no end to it.
    func runReady() -> Bool {
        while true {
            let (work, turnEnd, isEndless) = state.withLock { $0.takeReady() }
            guard !isEndless else { return false }
            guard !work.isEmpty || !turnEnd.isEmpty else { return true }
            for item in work { run(item) }
            for item in turnEnd { item() }
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .closure(let closure): closure()
        }
    }

    /// Moves time on to the instant, and fires the timers that are due then, each once.
    func advance(to instant: Instant) {
        let dueCount = state.withLock { state in
            state.advance(to: instant)
            return state.timers.count
        }
        for _ in 0..<dueCount {
            // One by one: a timer that fires may move the next one.
            guard let fired = state.withLock({ $0.takeDueTimer() }) else { return }
            fired()
        }
    }

    /// How much is being done elsewhere that time waits for.
    var outsideWorkCount: Int { state.withLock { $0.outsideWorkCount } }

    /// Waits, in real time, until another thread enqueues something; false if none does in time.
    func waitForOthers(for patience: Duration) -> Bool {
        wait(for: patience) { _ in false }
    }

    /// Waits, in real time, until another thread enqueues something, or nothing is being done elsewhere
    /// any more; false if neither happens in time.
    func waitForOutsideWork(for patience: Duration) -> Bool {
        wait(for: patience) { $0.outsideWorkCount == 0 }
    }

    private func wait(for patience: Duration, unless isOver: (State) -> Bool) -> Bool {
        let isReady = state.withLock { state in
            state.isWaiting = state.work.isEmpty && !isOver(state)
            return !state.isWaiting
        }
        guard !isReady, let wakeUp else { return isReady }
        let milliseconds = patience.nanoseconds / 1_000_000
        _ = wakeUp.wait(milliseconds: Int32(clamping: milliseconds))
        let isSignalled = state.withLock { state in
            defer { state.isWaiting = false }
            return !state.isWaiting
        }
        // Whoever found the thread waiting signals it, perhaps only after the time was over.
        if isSignalled, wakeUp.wait(milliseconds: -1) { wakeUp.consume() }
        return isSignalled
    }
}

extension SimulationExecutor.State {
    /// Takes out what is to run next: work, and when there is none, the ends of the turn.
    fileprivate mutating func takeReady() -> (
        work: [SimulationExecutor.Work], turnEnd: [@Sendable () -> Void], isEndless: Bool
    ) {
        guard ranCount < SimulationExecutor.workPerInstantLimit else { return ([], [], true) }
        if work.isEmpty {
            defer { turnEnd = [] }
            ranCount += turnEnd.count
            return ([], turnEnd, false)
        }
        defer { work = [] }
        ranCount += work.count
        return (work, [], false)
    }

    fileprivate mutating func advance(to instant: Instant) {
        guard instant > now else { return }
        now = instant
        ranCount = 0
    }

    fileprivate mutating func takeDueTimer() -> (@Sendable () -> Void)? {
        guard let first = timers.firstInstant, first <= now else { return nil }
        ranCount += 1
        return timers.takeFirst()?.event
    }
}

// MARK: - Timers

extension SimulationExecutor {
    /// Has `fired` called at the deadline, or never, instead of what `token` stands for.
    fileprivate func setTimer(
        _ token: inout EventToken?,
        to deadline: Instant?,
        _ fired: @escaping @Sendable () -> Void
    ) {
        token = state.withLock { [token] state in
            if let token { state.timers.cancel(token) }
            return deadline.flatMap { state.timers.insert(fired, at: $0) }
        }
    }
}

/// The timer of a `SimulationExecutor`.
private final class SimulationTimer: HostTimer {
    private let executor: SimulationExecutor
    private let fired: @Sendable () -> Void
    private let token = Mutex<EventToken?>(nil)

    init(executor: SimulationExecutor, fired: @escaping @Sendable () -> Void) {
        self.executor = executor
        self.fired = fired
    }

    func set(to deadline: Instant?) {
        token.withLock { executor.setTimer(&$0, to: deadline, fired) }
    }
}
