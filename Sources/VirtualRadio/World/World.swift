// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// A world of virtual controllers that share one radio medium, with its own time and randomness.
///
/// ```swift
/// let world = World(seed: 7)
/// let phone = try world.addController(ControllerConfiguration(name: "phone"))
/// world.send([0x01, 0x03, 0x0C, 0x00], to: phone)  // HCI Reset, as an H4 packet
/// world.run(for: .seconds(1))
/// let answers = world.takeOutput(of: phone)
/// ```
///
/// Events happen only while one of the `run` methods runs, and then as fast as the machine allows.
/// The same calls on a world of the same seed lead to the same packets at the same nanoseconds. A
/// world belongs to one thread at a time, and is not `Sendable`.
public final class World {
    /// The maximum number of controllers at one time.
    public static let controllerLimit = RadioEnvironment.stationLimit

    /// The state of the world, as a value.
    package var core: WorldCore

    /// Creates an empty world.
    ///
    /// - Parameters:
    ///   - seed: The number that determines all randomness of the world.
    ///   - pathLoss: The attenuation of signals with distance.
    ///   - shadowing: The random loss that walls and bodies add to the path loss, which can be
    ///     negative.
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

    /// The number that determines all randomness of the world.
    public var seed: UInt64 { core.ether.seed.rawValue }

    /// The current time of the world.
    public var now: Instant { core.timeline.now }

    /// The instant of the next event; `nil` if no event is due.
    public var nextInstant: Instant? { core.timeline.nextInstant }

    /// Adds a controller to the world, switched on.
    ///
    /// - Throws: ``WorldFullError`` if there are `controllerLimit` controllers already.
    @discardableResult
    public func addController(
        _ configuration: ControllerConfiguration = ControllerConfiguration()
    ) throws(WorldFullError) -> ControllerID {
        guard let radio = core.addController(configuration) else { throw WorldFullError() }
        return ControllerID(radio)
    }

    /// Sends bytes from the host to its controller: H4 packets, divided in any way. The controller
    /// receives them in the next run, at the current instant, or later if its fault plan delays
    /// them.
    public func send(_ bytes: [UInt8], to controller: ControllerID) {
        core.ether.hostSends(bytes, to: controller.radio)
    }

    /// Attaches a closure that receives the controller's packets while the world runs, in place of
    /// a host.
    ///
    /// The world removes a scripted host that was attached before.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - receive: Receives one H4 packet for each call. It may call `send`, but not `run`. If it
    ///     is `nil`, packets wait for `takeOutput(of:)`.
    public func attach(_ controller: ControllerID, _ receive: (([UInt8]) -> Void)?) {
        core.attach(nil, at: controller.radio)
        receivers[controller.radio.index] = receive
    }

    /// Returns and removes the packets that the controller has sent to its host while no host and
    /// no closure is attached.
    public func takeOutput(of controller: ControllerID) -> [[UInt8]] {
        core.takeOutput(of: controller.radio)
    }

    private var receivers: [Int: ([UInt8]) -> Void] = [:]
    private var observer: ((PassedPacket) -> Void)?
    var linkWatch: LinkWatch?

    /// Reports every packet that passes between a controller and its host, in the order of the
    /// world, for example to write a log. `nil` removes the observer.
    public func observe(_ observer: ((PassedPacket) -> Void)?) {
        self.observer = observer
        core.passed = observer == nil ? nil : []
    }

    /// Begins to check the rules of HCI and ATT that always hold: every command is answered once,
    /// credits are never negative, nothing is sent on a closed link, and only one ATT request is
    /// outstanding. `violations` lists each violation of these rules.
    ///
    /// Call it before the first packet. Some faults between host and controller, such as lost
    /// events, also break these rules.
    public func watchInvariants() {
        core.ether.watch = InvariantWatch()
    }

    /// The violations of rules so far, the oldest first: at most a hundred.
    public var violations: [Violation] { core.ether.watch?.violations ?? [] }

    /// Ends the checks of a simulation: a required event that has not happened is also a violation.
    public func finishWatching() {
        let now = now
        core.ether.watch?.finish(now: now)
    }

    /// Runs every event of the next `duration`, including events at its end. Afterward the current
    /// time is that end, unless the result is `stalled`.
    @discardableResult
    public func run(for duration: Duration) -> RunOutcome {
        defer { reportLinkChanges() }
        var simulation = simulation
        return simulation.run(for: duration)
    }

    /// Runs every event that is due at `end` or before. Afterward the current time is `end`, unless
    /// the result is `stalled`.
    @discardableResult
    public func run(until end: Instant) -> RunOutcome {
        defer { reportLinkChanges() }
        var simulation = simulation
        return simulation.run(until: end)
    }

    /// Runs until the condition holds, but no longer than `bound`.
    ///
    /// The condition is checked before the first event and after every event. Afterward the time is
    /// the instant of the event that made the condition true, or the end of the bound, unless the
    /// result is `stalled`.
    @discardableResult
    public func run(until condition: () -> Bool, bound: Duration) -> RunOutcome {
        defer { reportLinkChanges() }
        var simulation = simulation
        return simulation.run(until: { _ in condition() }, bound: bound)
    }

    /// Runs until no event is due, but no longer than `bound`. Afterward the time is the instant of
    /// the last event, or the end of the bound, unless the result is `stalled`.
    @discardableResult
    public func runUntilIdle(bound: Duration) -> RunOutcome {
        defer { reportLinkChanges() }
        var simulation = simulation
        return simulation.runUntilIdle(bound: bound)
    }

    /// The world as a simulation. It delivers packets to hosts after every event, while no part of
    /// the world is being changed, so that hosts may send at once.
    private struct Running: Simulation {
        let world: World

        var timeline: EventTimeline<WorldEvent> {
            get { world.core.timeline }
            nonmutating _modify { yield &world.core.timeline }
        }

        func handle(_ event: WorldEvent) { world.handle(event) }
    }

    private var simulation: Running { Running(world: self) }

    private func handle(_ event: WorldEvent) {
        core.handle(event)
        if linkWatch != nil { reportLinkChanges() }
        // Nearly all events concern no host.
        guard core.hasPackets else { return }
        if let observer {
            for packet in core.takePassed() { observer(packet) }
        }
        for (radio, packet) in core.takeDeliveries() {
            // The watch processes a packet just before its delivery, so that the host's answer to
            // one packet precedes the next packet.
            core.ether.watchWire(packet, .toHost, radio)
            if let receive = receivers[radio.index] {
                receive(packet)
            } else {
                core.keep(packet, of: radio)
            }
        }
    }
}

/// The identity of a controller in its world.
public struct ControllerID: Hashable, Sendable, CustomStringConvertible {
    /// The radio of the controller.
    package let radio: RadioID

    init(_ radio: RadioID) { self.radio = radio }

    /// The number of the controller, counted from 0. A new controller may get the number of a
    /// removed one.
    public var number: Int { radio.index }

    /// The word "controller" and the number.
    public var description: String { "controller \(radio.rawValue)" }
}

/// The error of adding a controller to a world that already has `World.controllerLimit`
/// controllers.
public struct WorldFullError: Error, Hashable, Sendable, CustomStringConvertible {
    init() {}

    /// A message that states the limit.
    public var description: String {
        "the world is full: it has \(World.controllerLimit) controllers already"
    }
}
