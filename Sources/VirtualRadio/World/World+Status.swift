// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// What a world looks like at one instant, for tables and messages.
public struct WorldStatus: Sendable {
    /// One controller.
    public struct Controller: Sendable {
        /// Which one.
        public let id: ControllerID
        /// What people call it; may be empty.
        public let name: String
        /// The address that its maker gave it.
        public let publicAddress: DeviceAddress
        /// Where it is.
        public let position: Position
        /// Whether it has power.
        public let isOn: Bool
        /// What goes wrong with it.
        public let faults: FaultPlan
        /// How many packets its host has sent it.
        public let fromHostCount: Int
        /// How many packets it has sent its host.
        public let toHostCount: Int
        /// What the display of its scripted host shows; nil for nothing.
        public let screen: String?

        /// Its name, or its number if it has none.
        public var label: String { name.isEmpty ? id.description : name }
    }

    /// A connection that both ends have.
    public struct Link: Sendable, Hashable {
        /// A number that no other connection of the world ever has.
        public let number: UInt64
        /// Who began it.
        public let central: ControllerID
        /// Who had advertised.
        public let peripheral: ControllerID
        /// The connection interval.
        public let interval: Duration
        /// How strong the Central last heard the Peripheral, in dBm; nil if not at all yet.
        public let centralRSSI: Int?
        /// How strong the Peripheral last heard the Central, in dBm; nil if not at all yet.
        public let peripheralRSSI: Int?
    }

    /// When it was.
    public let instant: Instant
    /// The controllers that are there, in the order of their numbers.
    public let controllers: [Controller]
    /// The connections, in the order in which they were made.
    public let links: [Link]
}

extension World {
    /// What the world looks like now.
    public var status: WorldStatus {
        WorldStatus(
            instant: now,
            controllers: core.controllers.compactMap(status(of:)),
            links: core.ether.links.all.compactMap(status(of:))
        )
    }

    /// What people call the controller; may be empty.
    public func name(of controller: ControllerID) -> String {
        core.controllers[controller.radio.index].configuration.name
    }

    /// What the display of the controller's scripted host shows, as somebody reads it who stands in
    /// front of it; nil for nothing.
    public func screen(of controller: ControllerID) -> String? {
        core.scriptedHosts.screen(at: controller.radio)
    }

    func status(of link: Link) -> WorldStatus.Link? {
        guard let central = link.central, let peripheral = link.peripheral else { return nil }
        return WorldStatus.Link(
            number: link.id.rawValue,
            central: ControllerID(central.radio),
            peripheral: ControllerID(peripheral.radio),
            interval: central.rhythm.parameters.interval,
            centralRSSI: SignalStrength.known(central.rssi),
            peripheralRSSI: SignalStrength.known(peripheral.rssi)
        )
    }

    private func status(of controller: VirtualController) -> WorldStatus.Controller? {
        guard let station = core.ether.surroundings[controller.radio] else { return nil }
        let traffic = core.traffic[controller.radio.index]
        return WorldStatus.Controller(
            id: ControllerID(controller.radio),
            name: controller.configuration.name,
            publicAddress: controller.publicAddress,
            position: station.path.position(at: now),
            isOn: station.isOn,
            faults: core.ether.wires[controller.radio.index].plan,
            fromHostCount: traffic.fromHostCount,
            toHostCount: traffic.toHostCount,
            screen: core.scriptedHosts.screen(at: controller.radio)
        )
    }
}

extension World: CustomStringConvertible {
    /// The seed, the present and what goes wrong on purpose with which controller, in one line: all
    /// that it takes to see a failing test fail again.
    public var description: String {
        let faulty = status.controllers.filter { $0.faults != .none }
        let plans = faulty.map { "; \($0.label): \($0.faults)" }
        return "World(seed: \(seed)) at \(now)" + plans.joined()
    }
}
