// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import Synchronization
import VirtualRadio

/// An air in real time: its world keeps pace with the clock.
///
/// ```swift
/// let air = LiveAir(World(seed: 7))
/// let adapter = try await air.addAdapter(ControllerConfiguration(name: "laptop"))
/// let host = BluetoothHost(transport: adapter, executor: air.executor)
/// …
/// air.shutDown()
/// ```
///
/// The world runs on the thread of the executor, beside the hosts and the sockets that use it, and
/// only while it has something to do. Call `shutDown()` when it is not used any more.
///
/// Unchecked: `world` and `clock` check that they are used on that thread.
public final class LiveAir: @unchecked Sendable {
    /// How much of the world's time runs between two looks at the clock.
    static let slice = Duration.milliseconds(10)
    /// How long the world may run in one turn of the thread, in real time: then sockets have theirs.
    static let turnLimit = Duration.milliseconds(20)
    /// How far the world may be behind. What is more has not happened to it: the process was
    /// stopped, or the machine is too slow for so large a world.
    static let lagLimit = Duration.seconds(2)

    /// The thread of the air.
    public let executor: AdapterExecutor
    private let unguardedWorld: World
    private var unguardedClock: WorldClock
    private let problem = Mutex<VirtualAirError?>(nil)
    private var timer: (any HostTimer)?
    private var isCatchUpAwaited = false
    private var stage = ScenarioStage()
    private var stageTimer: (any HostTimer)?
    private var trace: WorldTrace?

    /// Starts the time of the world, which nobody else runs from now on.
    public init(_ world: sending World, executor: AdapterExecutor = AdapterExecutor()) {
        self.executor = executor
        unguardedClock = WorldClock(real: executor.now, world: world.now)
        unguardedWorld = world
        executor.perform { [self] in
            timer = executor.makeTimer { [weak self] in self?.catchUp() }
            catchUp()
        }
    }

    /// Why time stands still, if it does: there was no end to one instant of the world.
    public var failure: VirtualAirError? { problem.withLock { $0 } }

    /// The world, at the present. For the air's thread only; others come by `perform`.
    var world: World {
        precondition(executor.isCurrent, "the world of a live air was used off its thread")
        return unguardedWorld
    }

    /// Does something to the world, or looks at it, at the present instant, on the air's thread.
    /// The body must not call `run`.
    public func perform<Value: Sendable>(
        _ body: @escaping @Sendable (World) -> Value
    ) async -> Value {
        await withCheckedContinuation { done in
            executor.perform { [self] in
                catchUp()
                done.resume(returning: body(world))
                catchUpAtTurnEnd()
            }
        }
    }

    /// Puts a controller into the world, and returns the way to it for a host on `executor`.
    /// Throws if the world is full.
    public func addAdapter(
        _ configuration: ControllerConfiguration = ControllerConfiguration()
    ) async throws(WorldFullError) -> VirtualTransport {
        let added = await perform { world in
            Result { () throws(WorldFullError) in try world.addController(configuration) }
        }
        return adapter(of: try added.get())
    }

    /// The way to a controller that is in the world already.
    public func adapter(of controller: ControllerID) -> VirtualTransport {
        VirtualTransport(to: controller, over: self)
    }

    /// Lets time stand still and ends the thread.
    public func shutDown() {
        executor.perform { [self] in
            timer?.set(to: nil)
            stageTimer?.set(to: nil)
            trace?.flush()
        }
        executor.shutDown()
    }
}

// MARK: - Time

extension LiveAir {
    /// When it is on the executor's clock when it is so late in the world.
    func realInstant(_ instant: Instant) -> Instant { unguardedClock.real(instant) }

    /// Runs the world up to now, or as far as a turn may take it, and has the next turn follow when
    /// there is something to do.
    func catchUp() {
        let world = world
        let begin = executor.now
        unguardedClock.forgive(beyond: Self.lagLimit, due: world.nextInstant, now: begin)
        let present = unguardedClock.world(begin)
        while failure == nil, world.now < present, executor.now - begin < Self.turnLimit {
            let end = max(world.now + Self.slice, world.nextInstant ?? present)
            if world.run(until: min(end, present)) == .stalled { stop(.endless) }
        }
        trace?.flush()
        setTimer(isBehind: world.now < present)
    }

    private func setTimer(isBehind: Bool) {
        let deadline = isBehind ? executor.now : world.nextInstant.map(realInstant)
        timer?.set(to: failure == nil ? deadline : nil)
    }

    private func stop(_ reason: VirtualAirError.Problem) {
        let error = VirtualAirError(reason, in: world)
        problem.withLock { $0 = error }
    }

    /// Runs what was just brought to the world before this turn of the thread ends.
    func catchUpAtTurnEnd() {
        guard !isCatchUpAwaited else { return }
        isCatchUpAwaited = true
        executor.performAtTurnEnd { [self] in
            isCatchUpAwaited = false
            runPresent()
            catchUp()
        }
    }

    /// Runs what is due at this very instant, which time alone would not bring about.
    private func runPresent() {
        guard failure == nil else { return }
        if world.run(for: .zero) == .stalled { stop(.endless) }
    }
}

// MARK: - Scenario and trace

extension LiveAir {
    /// Lets happen what the stage has in store, each at its instant.
    public func play(_ stage: ScenarioStage) async {
        await perform { [self] _ in start(stage) }
    }

    /// The same for callers that are not asynchronous: it begins as soon as the air's thread is free.
    package func begin(_ stage: ScenarioStage) {
        executor.perform { [self] in
            catchUp()
            start(stage)
            catchUpAtTurnEnd()
        }
    }

    private func start(_ stage: ScenarioStage) {
        self.stage = stage
        stageTimer = executor.makeTimer { [weak self] in self?.playOn() }
        playOn()
    }

    private func playOn() {
        catchUp()
        stage.play(in: world)
        stageTimer?.set(to: stage.nextInstant.map(realInstant))
        catchUpAtTurnEnd()
    }

    /// Writes what passes from now on between controllers and hosts: a packet log for each
    /// controller, in a directory that is there.
    public func trace(into directory: String) async {
        let now = SystemClock.nanosecondsSince1970
        await perform { [self] world in
            let zero = (now - world.now.nanoseconds) / 1_000
            let trace = WorldTrace(directory: directory, microsecondsAtZero: zero)
            self.trace = trace
            trace.observe(world)
        }
    }

    /// Takes the controller out of the world, and closes its log.
    func remove(_ controller: ControllerID) {
        trace?.close(controller, label: world.name(of: controller))
        world.remove(controller)
    }

    /// Why a packet log is not whole, if one is not.
    public var traceFailure: TransportError? {
        get async { await perform { [self] _ in trace?.failure } }
    }
}

extension LiveAir: ControllerWire {
    var wireExecutor: any HostExecutor { executor }

    func send(_ bytes: [UInt8], to controller: ControllerID) {
        catchUp()
        world.send(bytes, to: controller)
        catchUpAtTurnEnd()
    }
}

/// Which instant of the world is now.
struct WorldClock {
    private var realStart: Instant
    private let worldStart: Instant

    /// It is both instants now.
    init(real: Instant, world: Instant) {
        realStart = real
        worldStart = world
    }

    func world(_ real: Instant) -> Instant { worldStart + (real - realStart) }

    func real(_ world: Instant) -> Instant { realStart + (world - worldStart) }

    /// If what is due should have been longer ago than the limit, lets that time have passed for
    /// nobody: it becomes due just the limit ago.
    mutating func forgive(beyond limit: Duration, due: Instant?, now: Instant) {
        guard let due else { return }
        let excess = world(now) - due - limit
        if excess > .zero { realStart = realStart + excess }
    }
}
