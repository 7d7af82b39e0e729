// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import VirtualRadio

/// The executor of hosts in virtual time, which runs on the thread that runs their `SimulatedAir`.
///
/// Any number of hosts may share it. Their jobs and closures run one after another in the order in
/// which they were enqueued, then the work for the end of the turn, then the timers. The order is
/// therefore the same in every run. While there is work, time does not advance. When no work is
/// left, time jumps to the next instant at which work is due.
///
/// Jobs and closures may be enqueued from any thread. Only the order of work that the running
/// thread enqueues is the same in every run.
public final class SimulationExecutor: HostExecutor {
    /// The maximum number of units of work in one instant. Beyond it, the work counts as endless.
    package static let workPerInstantLimit = 10_000_000

    fileprivate enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
        /// A job of a task that is not on an actor of the air.
        case taskJob(UnownedJob, SimulationTaskExecutor)
        /// A job of a task that would otherwise run on an executor outside of the air.
        case foreignJob(UnownedJob, SimulationTaskExecutor)
    }

    fileprivate struct State {
        var now = Instant.zero
        var work: [Work] = []
        /// The work taken from `work`, in reverse order. It is used only if an application is
        /// watched, because the executor then takes one unit of work at a time.
        var takenWork: [Work] = []
        var turnEnd: [@Sendable () -> Void] = []
        var timers = EventHeap<@Sendable () -> Void>()
        /// The number of units of work that have run at this instant.
        var ranCount = 0
        /// The number of units of work outside of the executor. While it is not zero, time does not
        /// advance.
        var outsideWorkCount = 0
        /// Whether the thread waits for other threads to enqueue work.
        var isWaiting = false
        /// The state of the application, if it is watched.
        var application: ApplicationState?
    }

    fileprivate let state = Lock(State())
    private let wakeUp = WakeUp()
    /// The mark of the thread that runs the executor.
    private let threadMark = ThreadMark()

    init() {}

    // MARK: Time and work

    /// The time of the world.
    public var now: Instant { state.withLock { $0.now } }

    /// Runs `work` after all work that was enqueued before.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        enqueue(.closure(work))
    }

    /// Runs `work` when no other work is left at this instant, before time advances. Call it on the
    /// running thread.
    public func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.turnEnd.append(work) }
    }

    /// Returns a timer in virtual time.
    public func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer {
        SimulationTimer(executor: self, fired: fired)
    }

    /// Stops time until `endOutsideWork()`.
    public func beginOutsideWork() {
        applicationWillRun()
        state.withLock { $0.outsideWorkCount += 1 }
    }

    /// Ends a `beginOutsideWork()`. Time advances again if no other work outside of the executor is
    /// left.
    public func endOutsideWork() {
        endOutsideWork(unsettling: true)
    }

    private func endOutsideWork(unsettling isUnsettling: Bool) {
        let (mustSignal, watch) = state.withLock { state -> (Bool, (any ApplicationWatch)?) in
            if isUnsettling { state.application?.noteActivity() }
            precondition(state.outsideWorkCount > 0, "endOutsideWork() without beginOutsideWork()")
            state.outsideWorkCount -= 1
            guard state.outsideWorkCount == 0 else { return (false, nil) }
            state.application?.runsInParallel = false
            guard state.isWaiting else { return (false, nil) }
            // The waiting thread would only let the application settle. This thread does that
            // instead, so the waiting thread need not wake up.
            if let watch = state.beginSettling() { return (false, watch) }
            state.isWaiting = false
            return (true, nil)
        }
        if mustSignal { wakeUp?.signal() }
        if let watch { settle(watch) }
    }

    /// Lets the application settle, which is work outside of the executor.
    private func settle(_ watch: any ApplicationWatch) {
        watch.settle(times: ApplicationState.settlementCount) { [self] in
            endOutsideWork(unsettling: false)
        }
    }

    // MARK: Executor

    /// Enqueues a job of an actor. Called by the runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    /// Traps outside of the running thread. Called by the runtime when `assumeIsolated` finds no
    /// task.
    public func checkIsolated() {
        precondition(isCurrent, "expected to run on the thread that runs the simulated air")
    }

    /// Returns whether the calling thread runs the executor. Called by the runtime for code outside
    /// of any task.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func enqueue(_ work: Work) {
        let mustSignal = state.withLock { $0.append(work) }
        if mustSignal { wakeUp?.signal() }
    }
}

// MARK: - Running

extension SimulationExecutor {
    /// Whether the calling thread runs the executor.
    package var isCurrent: Bool { threadMark.isCurrent }

    /// Whether any thread runs the executor.
    package var isRunning: Bool { threadMark.isSet }

    /// Makes the calling thread the thread of the executor while `body` runs.
    func adoptingThread<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let isFree = threadMark.set()
        precondition(isFree, "a simulated air is already running")
        defer {
            endSettling()
            state.withLock { _ in threadMark.clear() }
            returnForeignJobs()
        }
        return try body()
    }

    /// Whether work is ready to run at this instant.
    var isReady: Bool {
        state.withLock { !$0.work.isEmpty || !$0.takenWork.isEmpty || !$0.turnEnd.isEmpty }
    }

    /// The instant of the next timer; `nil` if none is set.
    var nextDeadline: Instant? { state.withLock { $0.timers.firstInstant } }

    /// Runs all ready work, and the work that it enqueues, until none is left at this instant.
    ///
    /// - Returns: `false` if the work does not end.
    func runReady() -> Bool {
        while true {
            let (work, turnEnd, isEndless) = state.withLock { $0.takeReady() }
            guard !isEndless else { return false }
            // No work is left, or the application must settle first.
            guard !work.isEmpty || !turnEnd.isEmpty else { return true }
            for item in work { run(item) }
            for item in turnEnd { item() }
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .closure(let closure): closure()
        case .taskJob(let job, let executor), .foreignJob(let job, let executor):
            applicationWillRun()
            executor.run(job)
            state.withLock { $0.application?.noteActivity() }
        }
    }

    /// Advances time to the instant, and fires each timer that is due.
    func advance(to instant: Instant) {
        let dueCount = state.withLock { state in
            state.advance(to: instant)
            return state.timers.count
        }
        for _ in 0..<dueCount {
            // The timers fire one by one, because a timer that fires may move the next timer.
            guard let fired = state.withLock({ $0.takeDueTimer() }) else { return }
            fired()
        }
    }

    /// The number of units of work outside of the executor.
    var outsideWorkCount: Int { state.withLock { $0.outsideWorkCount } }

    /// Waits, in real time, until another thread enqueues work.
    ///
    /// - Returns: `false` if no thread enqueues work within `timeout`.
    func waitForOthers(for timeout: Duration) -> Bool {
        wait(for: timeout) { _ in false }
    }

    /// Waits, in real time, until another thread enqueues work, or no work outside of the executor
    /// is left.
    ///
    /// - Returns: `false` if neither happens within `timeout`.
    func waitForOutsideWork(for timeout: Duration) -> Bool {
        wait(for: timeout) { $0.outsideWorkCount == 0 }
    }

    private func wait(for timeout: Duration, unless isOver: (State) -> Bool) -> Bool {
        let isReady = state.withLock { state in
            state.isWaiting = !state.hasRunnableWork && !isOver(state)
            return !state.isWaiting
        }
        guard !isReady, let wakeUp else { return isReady }
        let milliseconds = timeout.nanoseconds / 1_000_000
        _ = wakeUp.wait(milliseconds: Int32(clamping: milliseconds))
        let isSignaled = state.withLock { state in
            defer { state.isWaiting = false }
            return !state.isWaiting
        }
        // The thread that reset `isWaiting` sends the signal, perhaps only after the timeout, so
        // this thread must consume it here.
        if isSignaled, wakeUp.wait(milliseconds: -1) { wakeUp.consume() }
        return isSignaled
    }
}

extension SimulationExecutor.State {
    /// Whether there are jobs or closures that do not have to wait for the application.
    fileprivate var hasRunnableWork: Bool {
        !(work.isEmpty && takenWork.isEmpty) && !mustAwaitApplication
    }

    /// Whether the work of this executor must wait until the application has settled.
    fileprivate var mustAwaitApplication: Bool {
        guard let application, !application.runsInParallel else { return false }
        return outsideWorkCount > 0 || application.isUnsettled
    }

    /// Counts the settling of the application as work outside of the executor, if its code has run
    /// since it last settled.
    ///
    /// - Returns: The watch that must let the application settle.
    fileprivate mutating func beginSettling() -> (any ApplicationWatch)? {
        guard let application, application.isUnsettled else { return nil }
        self.application?.isUnsettled = false
        outsideWorkCount += 1
        return application.watch
    }

    /// Adds work.
    ///
    /// - Returns: Whether the waiting thread must be woken.
    fileprivate mutating func append(_ new: SimulationExecutor.Work) -> Bool {
        work.append(new)
        guard isWaiting, !mustAwaitApplication else { return false }
        isWaiting = false
        return true
    }

    /// Removes and returns one unit of work or, if there is none, the work for the end of the turn.
    private mutating func takeNext() -> (
        work: [SimulationExecutor.Work], turnEnd: [@Sendable () -> Void], isEndless: Bool
    ) {
        if takenWork.isEmpty {
            takenWork = work.reversed()
            work = []
        }
        if let next = takenWork.popLast() {
            ranCount += 1
            return ([next], [], false)
        }
        defer { turnEnd = [] }
        ranCount += turnEnd.count
        return ([], turnEnd, false)
    }

    /// Removes and returns the foreign jobs that have not run.
    fileprivate mutating func takeForeignJobs() -> [UnownedJob] {
        let all = takenWork.reversed() + work
        takenWork = []
        work = all.filter { if case .foreignJob = $0 { false } else { true } }
        return all.compactMap { if case .foreignJob(let job, _) = $0 { job } else { nil } }
    }

    /// Removes and returns the work to run next or, if there is none, the work for the end of the
    /// turn.
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
    /// Alternates between the work of the air and the application from now on.
    package func watchApplication(_ watch: any ApplicationWatch) {
        state.withLock { $0.application = ApplicationState(watch: watch) }
    }

    func enqueueTask(_ job: UnownedJob, _ executor: SimulationTaskExecutor) {
        enqueue(.taskJob(job, executor))
    }

    /// Enqueues a job that would otherwise run on an executor outside of the air.
    ///
    /// - Returns: `false`, without any effect, if the executor does not run, or watches no
    ///   application.
    func enqueueForeignJob(_ job: UnownedJob, _ executor: SimulationTaskExecutor) -> Bool {
        let (isTaken, mustSignal) = state.withLock { state in
            guard state.application != nil, isRunning else { return (false, false) }
            return (true, state.append(.foreignJob(job, executor)))
        }
        if mustSignal { wakeUp?.signal() }
        return isTaken
    }

    /// Informs the watch that this thread is about to run code of the application.
    private func applicationWillRun() {
        guard isCurrent else { return }
        let watch = state.withLock { state -> (any ApplicationWatch)? in
            guard state.application?.isRunningApplication == false else { return nil }
            state.application?.isRunningApplication = true
            return state.application?.watch
        }
        watch?.applicationWillRun()
    }

    /// Stops time until the application has settled, if its code has run.
    ///
    /// - Returns: `false` if the application has already settled.
    func beginSettling() -> Bool {
        guard let watch = state.withLock({ $0.beginSettling() }) else { return false }
        settle(watch)
        return true
    }

    /// Informs the watch that the application has settled, or that the air no longer waits for it.
    func endSettling() {
        let watch = state.withLock { state -> (any ApplicationWatch)? in
            guard state.application?.isRunningApplication == true else { return nil }
            state.application?.isRunningApplication = false
            return state.application?.watch
        }
        watch?.applicationBecameIdle()
    }

    /// Lets the air continue while the application works, until no work outside of the executor is
    /// left.
    func continueInParallel() {
        state.withLock { $0.application?.runsInParallel = true }
    }

    var awaitsApplication: Bool { state.withLock { $0.mustAwaitApplication } }

    /// Passes the foreign jobs that have not run back to the executors from which they came.
    private func returnForeignJobs() {
        let (jobs, watch) = state.withLock { ($0.takeForeignJobs(), $0.application?.watch) }
        for job in jobs { watch?.runElsewhere(job) }
    }
}

// MARK: - Timers

extension SimulationExecutor {
    /// Cancels the timer with the token. Then schedules `fired` at the deadline, if there is one.
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

/// A timer of a `SimulationExecutor`.
private final class SimulationTimer: HostTimer {
    private let executor: SimulationExecutor
    private let fired: @Sendable () -> Void
    private let token = Lock<EventToken?>(nil)

    init(executor: SimulationExecutor, fired: @escaping @Sendable () -> Void) {
        self.executor = executor
        self.fired = fired
    }

    func set(to deadline: Instant?) {
        token.withLock { executor.setTimer(&$0, to: deadline, fired) }
    }
}
