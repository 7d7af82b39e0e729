// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import VirtualRadio

/// A virtual world for tests: hosts and virtual controllers in one virtual time that runs as fast
/// as possible.
///
/// ```swift
/// let air = SimulatedAir(seed: 7)
/// let phone = try air.addAdapter(ControllerConfiguration(name: "phone"))
/// try await air.run(bound: .seconds(60)) {
///     let host = BluetoothHost(transport: phone, executor: air.executor)
///     try await host.start()
///     for try await found in host.scan() { … }
///     await host.shutdown()
/// }
/// ```
///
/// `run` returns the result of its body. Every timeout of a host, every pause and every packet is
/// in the time of the world: a minute takes only as long as the work in it. If the body waits for
/// an event that never comes, `run` throws an error with the seed.
///
/// The same seed and the same program lead to the same packets at the same nanoseconds, if the
/// program stays on the air's thread and uses no other randomness. Give each host an `address`
/// (`HostConfiguration.address`), which is otherwise random. Make tasks children of the body, or
/// start them with `executorPreference: air.executor.taskExecutor`.
///
/// `@unchecked Sendable`: `world` checks that only the thread that runs the air uses it, and the
/// other mutable state is used only together with it.
public final class SimulatedAir: @unchecked Sendable {
    /// The virtual time that a body has to clean up after it was canceled.
    static let shutdownLimit = Duration.seconds(10)

    /// The real time for which an application works before the air continues in parallel.
    static let applicationTimeLimit = Duration.seconds(2)

    /// The executor for hosts on this air: `BluetoothHost(transport:executor:)`.
    public let executor = SimulationExecutor()
    /// The real time for which the air waits for tasks on other threads before it reports an error.
    private let timeout: Duration
    private let uncheckedWorld: World
    private var playback = ScenarioPlayback()
    private var playbackTimer: (any HostTimer)?
    private var trace: WorldTrace?

    /// Creates the air of a new world without controllers.
    public convenience init(
        seed: UInt64,
        pathLoss: PathLoss = .indoors,
        shadowing: Shadowing = .none
    ) {
        self.init(World(seed: seed, pathLoss: pathLoss, shadowing: shadowing))
    }

    /// Creates the air of an existing world. Only the air may run the world from now on.
    ///
    /// - Parameters:
    ///   - world: The world.
    ///   - timeout: The real time for which a run waits for tasks on other threads, when nothing
    ///     else is left to do, before it throws. The run also throws if work outside of the
    ///     executor (`HostExecutor.beginOutsideWork()`) is unfinished, and none of it ends for this
    ///     long.
    public init(_ world: sending World, timeout: Duration = .seconds(10)) {
        self.timeout = timeout
        uncheckedWorld = world
        executor.advance(to: world.now)
    }

    /// The world, for example to add, move and switch off controllers.
    ///
    /// It may be used by the body of `run`, and by any thread while the air does not run. The body
    /// must not call the world's own `run` methods.
    public var world: World {
        precondition(
            executor.isCurrent || !executor.isRunning,
            "the world of a simulated air was used outside of its thread"
        )
        return uncheckedWorld
    }

    /// The current time.
    public var now: Instant { executor.now }

    /// Adds a controller to the world.
    ///
    /// - Returns: The transport to it, for a host on `executor`.
    /// - Throws: ``WorldFullError`` if the world is full.
    public func addAdapter(
        _ configuration: ControllerConfiguration = ControllerConfiguration()
    ) throws(WorldFullError) -> VirtualTransport {
        adapter(of: try world.addController(configuration))
    }

    /// Returns the transport to a controller of the world.
    public func adapter(of controller: ControllerID) -> VirtualTransport {
        VirtualTransport(to: controller, over: self)
    }

    /// Suspends the task for `duration` of virtual time.
    ///
    /// - Throws: `CancellationError` at once when the task is canceled.
    public func sleep(for duration: Duration) async throws {
        try await VirtualPause(executor: executor, end: now + duration).wait()
    }
}

// MARK: - Scenario and trace

extension SimulatedAir {
    /// Plays the scenario: performs each of its changes at its instant, while the air runs.
    public func play(_ playback: ScenarioPlayback) {
        self.playback = playback
        let timer = executor.makeTimer { [weak self] in self?.playOn() }
        playbackTimer?.set(to: nil)
        playbackTimer = timer
        playOn()
    }

    private func playOn() {
        playback.play(in: world)
        playbackTimer?.set(to: playback.nextInstant)
    }

    /// Begins to write packet logs of all packets between controllers and hosts, one log for each
    /// controller. Time in the logs begins in 1970.
    ///
    /// - Parameter directory: An existing directory for the logs.
    public func trace(into directory: String) {
        let trace = WorldTrace(directory: directory)
        self.trace = trace
        trace.observe(world)
    }

    /// The error that made a packet log incomplete; `nil` if there is none.
    package var traceFailure: TransportError? { trace?.failure }
}

// MARK: - Running

extension SimulatedAir {
    /// Runs `body`, together with hosts, controllers and time, until it ends. The work runs on a
    /// new thread while the calling task waits.
    ///
    /// Objects that remain after the body, such as a scanning host, do not run until the next run
    /// of the air. If the calling task is canceled, the body is canceled.
    ///
    /// - Parameters:
    ///   - bound: The largest virtual time that the body may take.
    ///   - body: The program to run.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body, or a ``VirtualAirError`` if the body waits for an event
    ///   that never comes or takes longer than the bound, if the work at one instant does not end,
    ///   or if work on other queues does not end. In these cases the body is canceled first. The
    ///   body does not start on a system before iOS 18, macOS 15 or visionOS 2; the error is then
    ///   `systemTooOld`.
    public func run<Value: Sendable>(
        bound: Duration = .seconds(60),
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let run = try start(body)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { ended in
                let work: @Sendable () -> Void = { [self] in
                    ended.resume(with: Result { try finish(run, bound: bound) })
                }
                guard let thread = SystemThread(work) else { return work() }
                thread.detach()
            }
        } onCancel: {
            run.task.cancel()
        }
    }

    /// Runs `body` on the calling thread, for callers that are not asynchronous.
    ///
    /// It must not be called in a task, because it would block a thread of the Swift concurrency
    /// pool.
    @available(*, noasync, message: "await run(bound:_:) in asynchronous code")
    public func runBlocking<Value: Sendable>(
        bound: Duration = .seconds(60),
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        try finish(try start(body), bound: bound)
    }

    private struct Run<Value: Sendable>: Sendable {
        let outcome: Outcome<Value>
        let task: Task<Void, Never>
    }

    private func start<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws(VirtualAirError) -> Run<Value> {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            throw failure(.systemTooOld)
        }
        let outcome = Outcome<Value>()
        let task = Task(executorPreference: executor.taskExecutor) {
            await outcome.settle(body)
        }
        return Run(outcome: outcome, task: task)
    }

    private func finish<Value>(_ run: Run<Value>, bound: Duration) throws -> Value {
        defer { trace?.flush() }
        do throws(VirtualAirError) {
            try pump(until: { run.outcome.isSettled }, for: bound)
        } catch {
            run.task.cancel()
            try? pump(until: { run.outcome.isSettled }, for: Self.shutdownLimit)
            throw error
        }
        return try run.outcome.value
    }

    /// Runs all work, and lets time pass, until the condition holds at the end of an instant.
    private func pump(
        until isOver: () -> Bool,
        for bound: Duration
    ) throws(VirtualAirError) {
        try executor.adoptingThread { () throws(VirtualAirError) in
            let end = now + bound
            while true {
                guard executor.runReady() else { throw failure(.endless) }
                if isOver() { return }
                guard executor.outsideWorkCount == 0 else {
                    try waitForOutsideWork()
                    continue
                }
                if executor.beginSettling() { continue }
                executor.endSettling()
                if try moveOn(through: end) { continue }
                guard executor.waitForOthers(for: timeout) else {
                    throw failure(nextInstant == nil ? .stalled : .boundReached(bound))
                }
            }
        }
    }

    /// Waits while time does not advance because of work on other threads.
    ///
    /// An application that takes longer than `applicationTimeLimit` may be waiting for the air
    /// itself, so the air continues.
    private func waitForOutsideWork() throws(VirtualAirError) {
        if executor.awaitsApplication {
            guard !executor.waitForOutsideWork(for: Self.applicationTimeLimit) else { return }
            return executor.continueInParallel()
        }
        try awaitProgress { executor.waitForOutsideWork(for: timeout) }
    }

    /// Calls `wait` until it returns `true`. Throws only if no outside work ended during a call,
    /// because much work can take long on a busy machine.
    func awaitProgress(_ wait: () -> Bool) throws(VirtualAirError) {
        var count = executor.outsideWorkCount
        while !wait() {
            let remaining = executor.outsideWorkCount
            guard remaining < count else { throw failure(.outsideWork(remaining)) }
            count = remaining
        }
    }

    /// The instant of the next event in a host or in the world.
    private var nextInstant: Instant? {
        [executor.nextDeadline, world.nextInstant].compactMap { $0 }.min()
    }

    /// Runs the world until a host has work, or until the next timer of a host.
    ///
    /// - Returns: `false` if nothing is due by `end`.
    private func moveOn(through end: Instant) throws(VirtualAirError) -> Bool {
        guard let next = nextInstant, next <= end else { return false }
        let limit = min(executor.nextDeadline ?? end, end)
        let outcome = world.run(until: { executor.isReady }, bound: limit - world.now)
        guard outcome != .stalled else { throw failure(.endless) }
        executor.advance(to: world.now)
        return true
    }

    private func failure(_ problem: VirtualAirError.Problem) -> VirtualAirError {
        VirtualAirError(problem, in: world)
    }
}

extension SimulatedAir: ControllerWire {
    var wireExecutor: any HostExecutor { executor }

    func send(_ bytes: [UInt8], to controller: ControllerID) {
        world.send(bytes, to: controller)
    }
}

/// The result of the body of a run.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Lock<Result<Value, any Error>?>(nil)

    var isSettled: Bool { result.withLock { $0 != nil } }

    func settle(_ body: @Sendable () async throws -> Value) async {
        let end: Result<Value, any Error>
        do {
            end = .success(try await body())
        } catch {
            end = .failure(error)
        }
        result.withLock { $0 = end }
    }

    var value: Value {
        get throws {
            guard let result = result.withLock({ $0 }) else { throw CancellationError() }
            return try result.get()
        }
    }
}
