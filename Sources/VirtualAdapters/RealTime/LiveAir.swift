// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import VirtualRadio

/// A virtual world in real time.
///
/// ```swift
/// let air = LiveAir(World(seed: 7))
/// let adapter = try await air.addAdapter(ControllerConfiguration(name: "laptop"))
/// let host = BluetoothHost(transport: adapter, executor: air.executor)
/// …
/// air.shutDown()
/// ```
///
/// The world runs on the thread of the executor, together with the hosts and the sockets that use
/// the executor. It runs only while it has events. Call `shutDown()` when the air is no longer
/// needed.
///
/// `@unchecked Sendable`: `world` checks that it is used on that thread. All other mutable state is
/// used on that thread too.
public final class LiveAir: @unchecked Sendable {
    /// The world's time that runs between two readings of the clock.
    static let slice = Duration.milliseconds(10)
    /// The longest real time for which the world runs in one turn of the thread, so that the thread
    /// also serves sockets.
    static let turnLimit = Duration.milliseconds(20)
    /// The largest delay of the world behind the clock. If the delay becomes larger, for example
    /// because the process was stopped or the machine is too slow, the world does not make up for
    /// the excess.
    static let lagLimit = Duration.seconds(2)

    /// The executor of the air, with its thread.
    public let executor: AdapterExecutor
    private let uncheckedWorld: World
    private var uncheckedClock: WorldClock
    private let problem = Lock<VirtualAirError?>(nil)
    private var timer: (any HostTimer)?
    private var isCatchUpAwaited = false
    private var playback = ScenarioPlayback()
    private var playbackTimer: (any HostTimer)?
    private var trace: WorldTrace?

    /// Starts the time of the world. Only the air may run the world from now on.
    public init(_ world: sending World, executor: AdapterExecutor = AdapterExecutor()) {
        self.executor = executor
        uncheckedClock = WorldClock(real: executor.now, world: world.now)
        uncheckedWorld = world
        executor.perform { [self] in
            timer = executor.makeTimer { [weak self] in self?.catchUp() }
            catchUp()
        }
    }

    /// The reason why the world's time has stopped; `nil` while the time runs. The time stops if
    /// the events of one instant do not end.
    public var failure: VirtualAirError? { problem.withLock { $0 } }

    /// The world. Only for the air's thread; other threads use `perform(_:)`.
    package var world: World {
        precondition(executor.isCurrent, "the world of a live air was used outside of its thread")
        return uncheckedWorld
    }

    /// Runs `body` with the world on the air's thread. Before that, the world runs up to now, or as
    /// far as it can in one turn of the thread.
    ///
    /// - Parameter body: A closure that changes or reads the world. It must not run the world.
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

    /// Runs `body` with the world, for callers that are not asynchronous: at once on the air's
    /// thread, and otherwise as soon as the thread is free.
    ///
    /// - Parameter body: A closure that changes or reads the world. It must not run the world.
    package func act(_ body: @escaping @Sendable (World) -> Void) {
        guard executor.isCurrent else {
            return executor.perform { [self] in
                catchUp()
                act(body)
            }
        }
        // The world may be running: an accessory can act in a reaction.
        body(world)
        catchUpAtTurnEnd()
    }

    /// Adds a controller to the world.
    ///
    /// - Returns: The transport to it, for a host on `executor`.
    /// - Throws: ``WorldFullError`` if the world is full.
    public func addAdapter(
        _ configuration: ControllerConfiguration = ControllerConfiguration()
    ) async throws(WorldFullError) -> VirtualTransport {
        let added = await perform { world in
            Result { () throws(WorldFullError) in try world.addController(configuration) }
        }
        return adapter(of: try added.get())
    }

    /// Returns the transport to a controller of the world.
    public func adapter(of controller: ControllerID) -> VirtualTransport {
        VirtualTransport(to: controller, over: self)
    }

    /// Stops the world's time, and ends the thread when it has no more work. Waits until the thread
    /// has ended, unless the method is called on that thread.
    public func shutDown() {
        executor.perform { [self] in
            timer?.set(to: nil)
            playbackTimer?.set(to: nil)
            trace?.flush()
        }
        executor.shutDown()
    }
}

// MARK: - Time

extension LiveAir {
    /// Returns the instant on the executor's clock that corresponds to an instant of the world.
    func realInstant(_ instant: Instant) -> Instant { uncheckedClock.real(instant) }

    /// Runs the world up to now, or as far as it can in one turn of the thread. Then sets the timer
    /// for the next turn.
    func catchUp() {
        let world = world
        let begin = executor.now
        uncheckedClock.limitLag(beyond: Self.lagLimit, due: world.nextInstant, now: begin)
        let present = uncheckedClock.world(begin)
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

    /// Runs the world for new input before this turn of the thread ends.
    func catchUpAtTurnEnd() {
        guard !isCatchUpAwaited else { return }
        isCatchUpAwaited = true
        executor.performAtTurnEnd { [self] in
            isCatchUpAwaited = false
            runPresent()
            catchUp()
        }
    }

    /// Runs the events that are due at the current instant, even if no time has passed.
    private func runPresent() {
        guard failure == nil else { return }
        if world.run(for: .zero) == .stalled { stop(.endless) }
    }
}

// MARK: - Scenario and trace

extension LiveAir {
    /// Plays the scenario: performs each of its changes at its instant.
    public func play(_ playback: ScenarioPlayback) async {
        await perform { [self] _ in start(playback) }
    }

    /// Plays the scenario, for callers that are not asynchronous. It begins as soon as the air's
    /// thread is free.
    package func begin(_ playback: ScenarioPlayback) {
        executor.perform { [self] in
            catchUp()
            start(playback)
            catchUpAtTurnEnd()
        }
    }

    private func start(_ playback: ScenarioPlayback) {
        self.playback = playback
        playbackTimer = executor.makeTimer { [weak self] in self?.playOn() }
        playOn()
    }

    private func playOn() {
        catchUp()
        playback.play(in: world)
        playbackTimer?.set(to: playback.nextInstant.map(realInstant))
        catchUpAtTurnEnd()
    }

    /// Begins to write packet logs of all packets between controllers and hosts, one log for each
    /// controller.
    ///
    /// - Parameter directory: An existing directory for the logs.
    public func trace(into directory: String) async {
        let now = SystemClock.nanosecondsSince1970
        await perform { [self] world in
            let zero = (now - world.now.nanoseconds) / 1_000
            let trace = WorldTrace(directory: directory, microsecondsAtZero: zero)
            self.trace = trace
            trace.observe(world)
        }
    }

    /// Switches off the controller, whose host has left. Its log continues with the next host.
    func switchOff(_ controller: ControllerID) {
        trace?.hostLeft(controller, label: world.name(of: controller))
        world.switchOff(controller)
    }

    /// Removes the controller from the world, and closes its log.
    func remove(_ controller: ControllerID) {
        trace?.close(controller, label: world.name(of: controller))
        world.remove(controller)
    }

    /// The error that made a packet log incomplete; `nil` if there is none.
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

/// The relation of the world's time to the executor's clock.
struct WorldClock {
    private var realStart: Instant
    private let worldStart: Instant

    /// Creates a clock for which both instants are now.
    init(real: Instant, world: Instant) {
        realStart = real
        worldStart = world
    }

    func world(_ real: Instant) -> Instant { worldStart + (real - realStart) }

    func real(_ world: Instant) -> Instant { realStart + (world - worldStart) }

    /// Moves the world's time relative to the clock, if an event was due longer ago than the limit,
    /// so that the event was due exactly the limit ago.
    mutating func limitLag(beyond limit: Duration, due: Instant?, now: Instant) {
        guard let due else { return }
        let excess = world(now) - due - limit
        if excess > .zero { realStart = realStart + excess }
    }
}
