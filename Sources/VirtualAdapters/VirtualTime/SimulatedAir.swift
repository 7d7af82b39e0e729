// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import Synchronization
import VirtualRadio

/// An air for tests: hosts and their virtual controllers in one virtual time, as fast as it goes.
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
/// `run` returns what its body returns. Every time-out of a host, every pause and every packet is in
/// the time of the world: a minute of it takes about as long as the work that there is in it. If the
/// body waits for something that will not come, `run` throws, and says the seed.
///
/// The same seed and the same program lead to the same packets at the same nanoseconds, as long as
/// the program keeps to the air's thread and rolls no dice of its own: give hosts an `address`
/// (`HostConfiguration.address`), which they otherwise make up, and let tasks be children of the
/// body, or start them with `executorPreference: air.executor.taskExecutor`.
///
/// Unchecked: `world` checks that the thread that runs the air is the only one to touch it, and
/// what else varies is touched together with it.
public final class SimulatedAir: @unchecked Sendable {
    /// How much virtual time a body has, after it was cancelled, to put things in order.
    static let farewell = Duration.seconds(10)

    /// How long, in real time, an application has its turn before the air goes on beside it.
    static let courtesy = Duration.seconds(2)

    /// Where hosts run, to be given to each: `BluetoothHost(transport:executor:)`.
    public let executor = SimulationExecutor()
    /// How long, in real time, the air waits for tasks on other threads before it says that the
    /// body waits in vain.
    private let patience: Duration
    private let unguardedWorld: World
    private var stage = ScenarioStage()
    private var stageTimer: (any HostTimer)?
    private var trace: WorldTrace?

    /// The air of a new world, which has no controllers.
    public convenience init(
        seed: UInt64,
        pathLoss: PathLoss = .indoors,
        shadowing: Shadowing = .none
    ) {
        self.init(World(seed: seed, pathLoss: pathLoss, shadowing: shadowing))
    }

    /// The air of a world that is made already, and which nobody else runs from now on.
    ///
    /// - Parameter patience: How long, in real time, a run waits for tasks on other threads, when
    ///   nothing else is left to do, before it throws; and how long time stands still for work that
    ///   hosts have others do (`HostExecutor.beginOutsideWork()`).
    public init(_ world: sending World, patience: Duration = .seconds(10)) {
        self.patience = patience
        unguardedWorld = world
        executor.advance(to: world.now)
    }

    /// The world: to place controllers, move them, switch them off.
    ///
    /// For the body of `run`; and for everybody while the air does not run. Never call its own `run`
    /// methods within the body.
    public var world: World {
        precondition(
            executor.isCurrent || !executor.isRunning,
            "the world of a simulated air was used off its thread"
        )
        return unguardedWorld
    }

    /// The present.
    public var now: Instant { executor.now }

    /// Puts a controller into the world, and returns the way to it for a host on `executor`.
    /// Throws if the world is full.
    public func addAdapter(
        _ configuration: ControllerConfiguration = ControllerConfiguration()
    ) throws(WorldFullError) -> VirtualTransport {
        adapter(of: try world.addController(configuration))
    }

    /// The way to a controller that is in the world already.
    public func adapter(of controller: ControllerID) -> VirtualTransport {
        VirtualTransport(to: controller, over: self)
    }

    /// Lets `duration` of virtual time pass. Throws `CancellationError` at once when the task is
    /// cancelled.
    public func sleep(for duration: Duration) async throws {
        try await Pause(executor: executor, end: now + duration).wait()
    }
}

// MARK: - Scenario and trace

extension SimulatedAir {
    /// Lets happen what the stage has in store, each at its instant, while the air runs.
    public func play(_ stage: ScenarioStage) {
        self.stage = stage
        let timer = executor.makeTimer { [weak self] in self?.playOn() }
        stageTimer?.set(to: nil)
        stageTimer = timer
        playOn()
    }

    private func playOn() {
        stage.play(in: world)
        stageTimer?.set(to: stage.nextInstant)
    }

    /// Writes what passes from now on between controllers and hosts: a packet log for each
    /// controller, in a directory that is there. Time in it begins in 1970.
    public func trace(into directory: String) {
        let trace = WorldTrace(directory: directory)
        self.trace = trace
        trace.observe(world)
    }
}

// MARK: - Running

extension SimulatedAir {
    /// Runs `body`, and with it hosts, controllers and time, until it ends: on a thread made for it,
    /// while the calling task waits.
    ///
    /// What the body leaves behind (a host that goes on scanning) rests until the next run. To
    /// cancel the calling task is to cancel the body.
    ///
    /// - Parameter bound: How much virtual time the body may take.
    /// - Throws: What the body throws; or a `VirtualAirError` if it waits for something that will
    ///   never come, takes longer than the bound, or finds no end of an instant. Then the body was
    ///   cancelled first.
    public func run<Value: Sendable>(
        bound: Duration = .seconds(60),
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let run = start(body)
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

    /// The same for callers that are not asynchronous: their thread does all the work.
    ///
    /// Not from a task: a thread of Swift's own pool that is kept busy is missing elsewhere.
    @available(*, noasync, message: "await run(bound:_:) in asynchronous code")
    public func runBlocking<Value: Sendable>(
        bound: Duration = .seconds(60),
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        try finish(start(body), bound: bound)
    }

    private struct Run<Value: Sendable>: Sendable {
        let outcome: Outcome<Value>
        let task: Task<Void, Never>
    }

    private func start<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Run<Value> {
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
            try? pump(until: { run.outcome.isSettled }, for: Self.farewell)
            throw error
        }
        return try run.outcome.value
    }

    /// Runs all there is, and lets time pass, until the condition holds at the end of an instant.
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
                guard executor.waitForOthers(for: patience) else {
                    throw failure(nextInstant == nil ? .stalled : .boundReached(bound))
                }
            }
        }
    }

    /// Time stands still while others do what came of it, on threads of theirs.
    ///
    /// An application that takes longer may be waiting for the air itself: then that goes on.
    private func waitForOutsideWork() throws(VirtualAirError) {
        if executor.awaitsApplication {
            guard !executor.waitForOutsideWork(for: Self.courtesy) else { return }
            return executor.hurry()
        }
        guard executor.waitForOutsideWork(for: patience) else {
            throw failure(.outsideWork(executor.outsideWorkCount))
        }
    }

    /// When the next thing is due, in a host or in the world.
    private var nextInstant: Instant? {
        [executor.nextDeadline, world.nextInstant].compactMap { $0 }.min()
    }

    /// Runs the world until a host has something to do. False if nothing is due by the end.
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

/// What became of the body of a run.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

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
