// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A world of virtual controllers on one air, with a time and a chance of its own.
///
/// ```swift
/// let world = World(seed: 7)
/// let phone = try world.addController(ControllerConfiguration(name: "phone"))
/// world.send([0x01, 0x03, 0x0C, 0x00], to: phone)  // HCI Reset, as an H4 packet
/// world.run(for: .seconds(1))
/// let answers = world.takeOutput(of: phone)
/// ```
///
/// Nothing happens but while one of the `run` methods runs, and there it happens as fast as it can:
/// an hour may take a second. The same calls on a world of the same seed lead to the same packets at
/// the same nanoseconds. A world belongs to one thread at a time, and is not `Sendable`.
public final class World {
    /// How many controllers there may be at a time.
    public static let controllerLimit = Surroundings.stationLimit

    /// All there is, as a value.
    package var core: WorldCore

    /// An empty world. All its chance follows from the seed.
    ///
    /// - Parameters:
    ///   - pathLoss: How signals fade with distance.
    ///   - shadowing: What walls and bodies add to that, or take from it.
    public init(
        seed: UInt64,
        pathLoss: PathLoss = .indoors,
        shadowing: Shadowing = .none
    ) {
        core = WorldCore(
            seed: WorldSeed(seed),
            pathLoss: pathLoss,
            shadowing: shadowing
        )
    }

    /// The number from which all chance follows.
    public var seed: UInt64 { core.ether.seed.rawValue }

    /// The present.
    public var now: Instant { core.timeline.now }

    /// When the next thing is due; nil if nothing is.
    public var nextInstant: Instant? { core.timeline.nextInstant }

    /// Puts a controller into the world, switched on.
    ///
    /// - Throws: If there are `controllerLimit` already.
    @discardableResult
    public func addController(
        _ configuration: ControllerConfiguration = ControllerConfiguration()
    ) throws(WorldFullError) -> ControllerID {
        guard let radio = core.addController(configuration) else { throw WorldFullError() }
        return ControllerID(radio)
    }

    /// Sends octets from the host to its controller: H4 packets, cut in any way. It gets them in
    /// the next run, at the present instant.
    public func send(_ bytes: [UInt8], to controller: ControllerID) {
        core.ether.hostSends(bytes, to: controller.radio)
    }

    /// Has the controller's packets given to `receive`, one H4 packet at a time, while the world
    /// runs; nil to have them wait for `takeOutput`. `receive` may call `send`, not `run`.
    ///
    /// A scripted host that was attached before is gone.
    public func attach(_ controller: ControllerID, _ receive: (([UInt8]) -> Void)?) {
        core.seat(nil, at: controller.radio)
        receivers[controller.radio.index] = receive
    }

    /// Takes out what the controller has sent to its host, if nobody is attached.
    public func takeOutput(of controller: ControllerID) -> [[UInt8]] {
        core.takeOutput(of: controller.radio)
    }

    private var receivers: [Int: ([UInt8]) -> Void] = [:]
    private var observer: ((PassedPacket) -> Void)?
    var linkWatch: LinkWatch?

    /// Has every packet that passes between a controller and its host shown to `observer`, in the
    /// order of the world: to write a log, to check invariants. Nil for nobody.
    public func observe(_ observer: ((PassedPacket) -> Void)?) {
        self.observer = observer
        core.passed = observer == nil ? nil : []
    }

    /// Watches from here on that hosts and controllers keep the rules of HCI and ATT which hold
    /// whatever happens: every command is answered once, credits are never negative, nothing is
    /// sent on a closed link, one ATT request at a time. `violations` tells what did not hold.
    ///
    /// Call it before the first packet. Fault plans that take packets away between host and
    /// controller break these rules.
    public func watchInvariants() {
        core.ether.watch = InvariantWatch()
    }

    /// The rules that did not hold so far, the oldest first: up to a hundred.
    public var violations: [Violation] { core.ether.watch?.violations ?? [] }

    /// Ends a simulation: what should have happened by now, and has not, is a violation as well.
    public func finishWatching() {
        let now = now
        core.ether.watch?.finish(now: now)
    }

    /// Runs all that is due in the next `duration`, up to its very end, which is the present then.
    @discardableResult
    public func run(for duration: Duration) -> RunOutcome {
        defer { tellLinks() }
        var simulation = simulation
        return simulation.run(for: duration)
    }

    /// Runs all that is due at `end` or before; the present is `end` then.
    @discardableResult
    public func run(until end: Instant) -> RunOutcome {
        defer { tellLinks() }
        var simulation = simulation
        return simulation.run(until: end)
    }

    /// Runs until the condition holds, which is asked before the first event and after every one,
    /// but no longer than `bound`. The present is the instant of the event that made it true, or
    /// the end of the bound.
    @discardableResult
    public func run(until condition: () -> Bool, bound: Duration) -> RunOutcome {
        defer { tellLinks() }
        var simulation = simulation
        return simulation.run(until: { _ in condition() }, bound: bound)
    }

    /// Runs until nothing is due any more, but no longer than `bound`. The present is the instant of
    /// the last event, or the end of the bound.
    @discardableResult
    public func runUntilIdle(bound: Duration) -> RunOutcome {
        defer { tellLinks() }
        var simulation = simulation
        return simulation.runUntilIdle(bound: bound)
    }

    /// The world as something that runs: what reaches hosts is handed out after every event, while
    /// nothing of the world is being changed, so that they may send at once.
    private struct Running: Simulation {
        let world: World

        var timeline: Timeline<WorldEvent> {
            get { world.core.timeline }
            nonmutating _modify { yield &world.core.timeline }
        }

        func handle(_ event: WorldEvent) { world.handle(event) }
    }

    private var simulation: Running { Running(world: self) }

    private func handle(_ event: WorldEvent) {
        core.handle(event)
        tellLinks()
        if let observer {
            for packet in core.takePassed() { observer(packet) }
        }
        for (radio, packet) in core.takeDeliveries() {
            // Not before: what a host says in answer to one packet, it says without the next.
            core.ether.watchWire(packet, .toHost, radio)
            if let receive = receivers[radio.index] {
                receive(packet)
            } else {
                core.keep(packet, of: radio)
            }
        }
    }
}

/// The name of a controller in its world.
public struct ControllerID: Hashable, Sendable, CustomStringConvertible {
    /// Its radio.
    package let radio: RadioID

    init(_ radio: RadioID) { self.radio = radio }

    /// The number of the controller. That of one that was removed may be given to another.
    public var number: Int { radio.index }

    /// The word and the number: they are counted from 0.
    public var description: String { "controller \(radio.rawValue)" }
}
