// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// A host as a value, attached to a controller of a world and run by the world.
///
/// Beacons and accessories are scripted hosts. The world calls the host for each event, with the
/// time. Each call returns the H4 packets that the host sends to its controller, one packet in each
/// array. The packets arrive at the same instant, after events that are already due in it, or later
/// if a fault plan delays them. A scripted host must not read a clock or use randomness that is not
/// its own, or the same seed no longer leads to the same packets.
///
/// ```swift
/// let world = World(seed: 7)
/// try world.addController(ControllerConfiguration(name: "door"), host: Beacon(.name("Door")))
/// ```
public protocol ScriptedHost: Sendable {
    /// Handles power-on of the controller, the first or a later one. The host must discard its
    /// knowledge of the controller's state.
    mutating func start(now: Instant) -> [[UInt8]]

    /// Handles an H4 packet from the controller.
    mutating func receive(_ packet: [UInt8], now: Instant) -> [[UInt8]]

    /// The next instant at which the world calls `deadlinePassed(now:)`; `nil` for none. The world
    /// reads it after every call.
    var nextDeadline: Instant? { get }

    /// Handles the deadline. A deadline that is still in the past afterward is due again at once.
    mutating func deadlinePassed(now: Instant) -> [[UInt8]]

    /// The text on the device's display, for example six digits during pairing; `nil` if it shows
    /// nothing or has no display.
    var screen: String? { get }
}

extension ScriptedHost {
    /// `nil`, because most devices have no display.
    public var screen: String? { nil }
}

/// The scripted hosts of a world, by radio.
struct ScriptedHosts: Sendable {
    private struct Entry: Sendable {
        var host: any ScriptedHost
        /// The scheduled deadline of the host.
        var due: (instant: Instant, token: EventToken)?
    }

    /// The entries, by radio. An entry leaves its place while its host runs, because a second
    /// reference would copy the host.
    private var entries: [Entry?] = []

    /// Returns whether the controller has a scripted host.
    func hasHost(_ radio: RadioID) -> Bool {
        radio.index < entries.count && entries[radio.index] != nil
    }

    /// Returns the text on the display of the controller's host.
    func screen(at radio: RadioID) -> String? {
        hasHost(radio) ? entries[radio.index]?.host.screen : nil
    }

    /// Attaches the host to the controller. The host starts at once if the controller has power.
    mutating func attach(_ host: any ScriptedHost, at radio: RadioID, _ ether: inout Ether) {
        detach(radio, &ether)
        let missing = radio.index + 1 - entries.count
        if missing > 0 { entries.append(contentsOf: repeatElement(nil, count: missing)) }
        entries[radio.index] = Entry(host: host)
        if ether.environment[radio]?.isOn == true { start(radio, &ether) }
    }

    /// Detaches the controller's host.
    mutating func detach(_ radio: RadioID, _ ether: inout Ether) {
        guard hasHost(radio) else { return }
        var token = entries[radio.index].take()?.due?.token
        ether.cancel(&token)
    }

    /// Starts the host when its controller gets power.
    mutating func start(_ radio: RadioID, _ ether: inout Ether) {
        run(radio, &ether) { $0.start(now: $1) }
    }

    /// Cancels the host's deadline when its controller loses power.
    mutating func stop(_ radio: RadioID, _ ether: inout Ether) {
        guard hasHost(radio) else { return }
        var token = entries[radio.index]?.due?.token
        ether.cancel(&token)
        entries[radio.index]?.due = nil
    }

    /// Passes a packet from the controller to its host.
    mutating func receive(_ packet: [UInt8], at radio: RadioID, _ ether: inout Ether) {
        run(radio, &ether) { $0.receive(packet, now: $1) }
    }

    /// Passes the deadline to the host.
    mutating func deadlinePassed(at radio: RadioID, _ ether: inout Ether) {
        guard hasHost(radio) else { return }
        entries[radio.index]?.due = nil
        run(radio, &ether) { $0.deadlinePassed(now: $1) }
    }

    /// Runs `body` on the controller's host.
    ///
    /// - Returns: `false`, without any effect, if the host is not of that type or the controller
    ///   has no power.
    mutating func perform<Host: ScriptedHost>(
        _ body: (inout Host, Instant) -> [[UInt8]],
        at radio: RadioID,
        _ ether: inout Ether
    ) -> Bool {
        guard ether.environment[radio]?.isOn == true, hasHost(radio),
            entries[radio.index]?.host is Host
        else { return false }
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
        guard hasHost(radio), var entry = entries[radio.index].take() else { return }
        for packet in body(&entry.host, ether.now) {
            ether.hostSends(packet, to: radio)
        }
        wake(&entry, of: radio, &ether)
        entries[radio.index] = entry
    }

    /// Schedules the host's deadline.
    private func wake(_ entry: inout Entry, of radio: RadioID, _ ether: inout Ether) {
        let wanted = entry.host.nextDeadline.map { max($0, ether.now) }
        guard wanted != entry.due?.instant else { return }
        var token = entry.due?.token
        ether.cancel(&token)
        entry.due = wanted.flatMap { instant in
            ether.timeline.schedule(.scriptedHostDue(radio), at: instant).map { (instant, $0) }
        }
    }
}

extension World {
    /// Adds a controller with a host that the world runs: a beacon or an accessory.
    ///
    /// - Throws: ``WorldFullError`` if there are `controllerLimit` controllers already.
    @discardableResult
    public func addController(
        _ configuration: ControllerConfiguration = ControllerConfiguration(),
        host: some ScriptedHost
    ) throws(WorldFullError) -> ControllerID {
        let controller = try addController(configuration)
        attach(host, to: controller)
        return controller
    }

    /// Attaches a host that the world runs. It starts at once if the controller is on, and each
    /// time the controller is switched on. Only this host receives the controller's packets.
    ///
    /// The world removes a host or closure that was attached before.
    public func attach(_ host: some ScriptedHost, to controller: ControllerID) {
        attach(controller, nil)
        core.attach(host, at: controller.radio)
    }
}

extension World {
    /// Runs `body` on the scripted host of a controller, for an event that does not come over the
    /// radio.
    ///
    /// - Parameters:
    ///   - controller: The controller of the host.
    ///   - type: The type of the host.
    ///   - body: Changes the host, and returns the H4 packets that it sends to its controller at
    ///     this instant.
    /// - Returns: `false`, without any effect, if the host is not of that type or the controller
    ///   has no power.
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

    /// Attaches the host to the controller in place of any other; `nil` detaches it.
    mutating func attach(_ host: (any ScriptedHost)?, at radio: RadioID) {
        if let host {
            scriptedHosts.attach(host, at: radio, &ether)
        } else {
            scriptedHosts.detach(radio, &ether)
        }
    }
}
