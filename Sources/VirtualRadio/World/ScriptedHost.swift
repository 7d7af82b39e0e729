// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// A host as a value: it lives on a controller of a world, and the world runs it.
///
/// Beacons and accessories are such hosts. A scripted host is told all that happens to it, with the
/// time, and returns the H4 packets that it sends its controller, one packet in each array; they
/// arrive at the same instant, after whatever is due in it already. It must not look at a clock or
/// roll dice that are not its own: else the same seed no longer leads to the same world.
///
/// ```swift
/// let world = World(seed: 7)
/// try world.addController(ControllerConfiguration(name: "door"), host: Beacon(.name("Door")))
/// ```
public protocol ScriptedHost: Sendable {
    /// The controller has power: for the first time, or again. Nothing of what the host knew of
    /// the controller before is true any more.
    mutating func start(now: Instant) -> [[UInt8]]

    /// The controller sent an H4 packet.
    mutating func receive(_ packet: [UInt8], now: Instant) -> [[UInt8]]

    /// When it wants to be woken; nil for not at all. It is asked after every call.
    var nextDeadline: Instant? { get }

    /// The deadline has come. One that is still past after this is due at once again.
    mutating func deadlinePassed(now: Instant) -> [[UInt8]]

    /// What the device's display shows to whoever stands in front of it: six digits while it is
    /// paired, say. Nil if it shows nothing, or has none.
    var screen: String? { get }
}

extension ScriptedHost {
    /// Most devices have no display.
    public var screen: String? { nil }
}

/// The scripted hosts of a world, by radio.
struct ScriptedHosts: Sendable {
    private struct Seat: Sendable {
        var host: any ScriptedHost
        /// When the host will be woken.
        var due: (instant: Instant, token: EventToken)?
    }

    private var seats: [Int: Seat] = [:]

    /// Whether the controller has a scripted host.
    func isSeated(_ radio: RadioID) -> Bool { seats[radio.index] != nil }

    /// What the display of the controller's host shows.
    func screen(at radio: RadioID) -> String? { seats[radio.index]?.host.screen }

    /// Gives the controller this host; it starts at once if there is power.
    mutating func seat(_ host: any ScriptedHost, at radio: RadioID, _ ether: inout Ether) {
        unseat(radio, &ether)
        seats[radio.index] = Seat(host: host)
        if ether.surroundings[radio]?.isOn == true { start(radio, &ether) }
    }

    /// Takes the controller's host away.
    mutating func unseat(_ radio: RadioID, _ ether: inout Ether) {
        var token = seats.removeValue(forKey: radio.index)?.due?.token
        ether.cancel(&token)
    }

    /// The controller has power.
    mutating func start(_ radio: RadioID, _ ether: inout Ether) {
        run(radio, &ether) { $0.start(now: $1) }
    }

    /// The controller has lost its power: the host sleeps.
    mutating func stop(_ radio: RadioID, _ ether: inout Ether) {
        var token = seats[radio.index]?.due?.token
        ether.cancel(&token)
        seats[radio.index]?.due = nil
    }

    /// The controller sent the packet.
    mutating func receive(_ packet: [UInt8], at radio: RadioID, _ ether: inout Ether) {
        run(radio, &ether) { $0.receive(packet, now: $1) }
    }

    /// The instant has come for which the host wanted to be woken.
    mutating func deadlinePassed(at radio: RadioID, _ ether: inout Ether) {
        seats[radio.index]?.due = nil
        run(radio, &ether) { $0.deadlinePassed(now: $1) }
    }

    /// Has the controller's host, if it is one of that type, do something that nobody on the air knows of.
    /// False if it is none, or has no power.
    mutating func perform<Host: ScriptedHost>(
        _ body: (inout Host, Instant) -> [[UInt8]],
        at radio: RadioID,
        _ ether: inout Ether
    ) -> Bool {
        guard ether.surroundings[radio]?.isOn == true, seats[radio.index]?.host is Host else {
            return false
        }
        run(radio, &ether) { host, now in
            guard var typed = host as? Host else { return [] }
            defer { host = typed }
            return body(&typed, now)
        }
        return true
    }

    private mutating func run(
        _ radio: RadioID,
        _ ether: inout Ether,
        _ body: (inout any ScriptedHost, Instant) -> [[UInt8]]
    ) {
        guard var seat = seats[radio.index] else { return }
        for packet in body(&seat.host, ether.now) {
            ether.hostSends(packet, to: radio)
        }
        wake(&seat, of: radio, &ether)
        seats[radio.index] = seat
    }

    /// Has the host woken when it now wants to be.
    private func wake(_ seat: inout Seat, of radio: RadioID, _ ether: inout Ether) {
        let wanted = seat.host.nextDeadline.map { max($0, ether.now) }
        guard wanted != seat.due?.instant else { return }
        var token = seat.due?.token
        ether.cancel(&token)
        seat.due = wanted.flatMap { instant in
            ether.timeline.schedule(.scriptedHostDue(radio), at: instant).map { (instant, $0) }
        }
    }
}

extension World {
    /// Puts a controller into the world with a host that the world runs by itself: a beacon, an
    /// accessory.
    ///
    /// - Throws: If there are `controllerLimit` controllers already.
    @discardableResult
    public func addController(
        _ configuration: ControllerConfiguration = ControllerConfiguration(),
        host: some ScriptedHost
    ) throws(WorldFullError) -> ControllerID {
        let controller = try addController(configuration)
        attach(host, to: controller)
        return controller
    }

    /// Gives the controller a host that the world runs by itself. It starts at once, if the
    /// controller is on, and whenever the controller is switched on; what the controller sends goes to it alone.
    ///
    /// A host or closure that was attached before is gone.
    public func attach(_ host: some ScriptedHost, to controller: ControllerID) {
        attach(controller, nil)
        core.seat(host, at: controller.radio)
    }
}

extension World {
    /// Has the scripted host of a controller do something of itself: `body` changes it, and returns the
    /// H4 packets that it sends its controller, at this instant.
    ///
    /// - Returns: False, and nothing happens, if it is not of that type, or the controller has no power.
    @discardableResult
    public func perform<Host: ScriptedHost>(
        at controller: ControllerID,
        as type: Host.Type = Host.self,
        _ body: (inout Host, Instant) -> [[UInt8]]
    ) -> Bool {
        core.perform(body, at: controller.radio)
    }
}

extension WorldCore {
    fileprivate mutating func perform<Host: ScriptedHost>(
        _ body: (inout Host, Instant) -> [[UInt8]],
        at radio: RadioID
    ) -> Bool {
        scriptedHosts.perform(body, at: radio, &ether)
    }

    /// Gives the controller this host, in place of any other; nil takes it away.
    mutating func seat(_ host: (any ScriptedHost)?, at radio: RadioID) {
        if let host {
            scriptedHosts.seat(host, at: radio, &ether)
        } else {
            scriptedHosts.unseat(radio, &ether)
        }
    }
}
