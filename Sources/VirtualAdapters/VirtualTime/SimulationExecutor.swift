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
        /// Of a task that is on no actor of the air's.
        case taskJob(UnownedJob, any TaskExecutor)
        /// Of a task that would have run elsewhere.
        case guestJob(UnownedJob, any TaskExecutor)
    }

    fileprivate struct State {
        var now = Instant.zero
        var work: [Work] = []
        /// What was in `work`, the last first, where it is run piece by piece.
        var leaving: [Work] = []
        var turnEnd: [@Sendable () -> Void] = []
        var timers = EventHeap<@Sendable () -> Void>()
        /// How much has run at this instant.
        var ranCount = 0
        /// How much is being done elsewhere that time waits for.
        var outsideWorkCount = 0
        /// Whether the thread waits for others to enqueue something.
        var isWaiting = false
        /// What it knows of the application, if that is watched.
        var application: ApplicationAccount?
    }

    fileprivate let state = Mutex(State())
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
        engage()
        state.withLock { $0.outsideWorkCount += 1 }
    }

    /// Lets time go on, if nothing else is being done elsewhere.
    public func endOutsideWork() {
        endOutsideWork(unsettling: true)
    }

    private func endOutsideWork(unsettling isUnsettling: Bool) {
        let mustSignal = state.withLock { state in
            if isUnsettling { state.application?.somethingRan() }
            precondition(state.outsideWorkCount > 0, "work ended that had not begun")
            state.outsideWorkCount -= 1
            guard state.outsideWorkCount == 0 else { return false }
            state.application?.isHurried = false
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
        let mustSignal = state.withLock { $0.append(work) }
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
        defer {
            endSettling()
            state.withLock { _ in thread.store(0, ordering: .releasing) }
            dismissGuests()
        }
        return try body()
    }

    /// Whether anything is ready to run at this instant.
    var isReady: Bool {
        state.withLock { !$0.work.isEmpty || !$0.leaving.isEmpty || !$0.turnEnd.isEmpty }
    }

    /// When the next timer fires; nil if none is set.
    var nextDeadline: Instant? { state.withLock { $0.timers.firstInstant } }

    /// Runs all that is ready, and what that brings forth, until nothing is left at this instant.
    /// False if there is no end to it.
    func runReady() -> Bool {
        while true {
            let (work, turnEnd, isEndless) = state.withLock { $0.takeReady() }
            guard !isEndless else { return false }
            // Nothing is left; or the application is to be waited for first.
            guard !work.isEmpty || !turnEnd.isEmpty else { return true }
            for item in work { run(item) }
            for item in turnEnd { item() }
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .closure(let closure): closure()
        case .taskJob(let job, let executor), .guestJob(let job, let executor):
            engage()
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
            state.withLock { $0.application?.somethingRan() }
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
            state.isWaiting = !state.hasNews && !isOver(state)
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
    /// Whether there is something to be done, and nobody to be waited for before it is.
    fileprivate var hasNews: Bool { !(work.isEmpty && leaving.isEmpty) && !mustAwaitApplication }

    /// Whether the application has its turn.
    fileprivate var mustAwaitApplication: Bool {
        guard let application, !application.isHurried else { return false }
        return outsideWorkCount > 0 || application.unsettledCount > 0
    }

    /// Whether the thread that waits is to be woken.
    fileprivate mutating func append(_ new: SimulationExecutor.Work) -> Bool {
        work.append(new)
        guard isWaiting, !mustAwaitApplication else { return false }
        isWaiting = false
        return true
    }

    /// Takes out one piece of work; when there is none, the ends of the turn.
    private mutating func takeNext() -> (
        work: [SimulationExecutor.Work], turnEnd: [@Sendable () -> Void], isEndless: Bool
    ) {
        if leaving.isEmpty {
            leaving = work.reversed()
            work = []
        }
        if let next = leaving.popLast() {
            ranCount += 1
            return ([next], [], false)
        }
        defer { turnEnd = [] }
        ranCount += turnEnd.count
        return ([], turnEnd, false)
    }

    /// Takes out the jobs of others that have not run.
    fileprivate mutating func takeGuests() -> [UnownedJob] {
        let all = leaving.reversed() + work
        leaving = []
        work = all.filter { if case .guestJob = $0 { false } else { true } }
        return all.compactMap { if case .guestJob(let job, _) = $0 { job } else { nil } }
    }

    /// Takes out what is to run next: work, and when there is none, the ends of the turn.
    fileprivate mutating func takeReady() -> (
        work: [SimulationExecutor.Work], turnEnd: [@Sendable () -> Void], isEndless: Bool
    ) {
        guard ranCount < SimulationExecutor.workPerInstantLimit else { return ([], [], true) }
        guard !mustAwaitApplication else { return ([], [], false) }
        if application != nil { return takeNext() }
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

// MARK: - The application

extension SimulationExecutor {
    /// Takes turns with the application from now on.
    package func watchApplication(_ watch: any ApplicationWatch) {
        state.withLock { $0.application = ApplicationAccount(watch: watch) }
    }

    var isWatched: Bool { state.withLock { $0.application != nil } }

    func enqueueTask(_ job: UnownedJob, _ executor: any TaskExecutor) {
        enqueue(.taskJob(job, executor))
    }

    /// False if nobody runs it.
    func enqueueGuest(_ job: UnownedJob, _ executor: any TaskExecutor) -> Bool {
        let (isTaken, mustSignal) = state.withLock { state in
            guard state.application != nil, isRunning else { return (false, false) }
            return (true, state.append(.guestJob(job, executor)))
        }
        if mustSignal { wakeUp?.signal() }
        return isTaken
    }

    /// Something of the application is about to run because of what happens on this thread.
    private func engage() {
        guard isCurrent else { return }
        let watch = state.withLock { state -> (any ApplicationWatch)? in
            guard state.application?.isEngaged == false else { return nil }
            state.application?.isEngaged = true
            return state.application?.watch
        }
        watch?.willWork()
    }

    /// Gives the application time to settle, if something of it has run. False if it has settled.
    func beginSettling() -> Bool {
        let watch = state.withLock { state -> (any ApplicationWatch)? in
            guard let application = state.application, application.unsettledCount > 0 else {
                return nil
            }
            state.application?.unsettledCount -= 1
            state.outsideWorkCount += 1
            return application.watch
        }
        watch?.settle { [self] in endOutsideWork(unsettling: false) }
        return watch != nil
    }

    /// The application has settled, or is not waited for any longer.
    func endSettling() {
        let watch = state.withLock { state -> (any ApplicationWatch)? in
            guard state.application?.isEngaged == true else { return nil }
            state.application?.isEngaged = false
            return state.application?.watch
        }
        watch?.rests()
    }

    /// Goes on although the application is at work, until it has rested once.
    func hurry() {
        state.withLock { $0.application?.isHurried = true }
    }

    /// Whether the application is waited for before anything else is done.
    var awaitsApplication: Bool { state.withLock { $0.mustAwaitApplication } }

    /// Has done elsewhere what was taken over and has not run.
    private func dismissGuests() {
        let (guests, watch) = state.withLock { ($0.takeGuests(), $0.application?.watch) }
        for guest in guests { watch?.giveBack(guest) }
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
