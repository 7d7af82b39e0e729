// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The state of a world at one instant, for tables and messages.
public struct WorldStatus: Sendable {
    /// One controller.
    public struct Controller: Sendable {
        /// The identity of the controller.
        public let id: ControllerID
        /// The name of the controller; may be empty.
        public let name: String
        /// The public address of the controller.
        public let publicAddress: DeviceAddress
        /// The position of the controller.
        public let position: Position
        /// Whether the controller has power.
        public let isOn: Bool
        /// The faults of the controller.
        public let faults: FaultPlan
        /// The number of times that bytes from the host reached the controller. It is the number of
        /// packets if the host sends each packet whole.
        public let fromHostCount: Int
        /// The number of packets from the controller to the host.
        public let toHostCount: Int
        /// The text on the display of the scripted host; `nil` for none.
        public let screen: String?

        /// The name of the controller, or its number if it has no name.
        public var label: String { name.isEmpty ? id.description : name }
    }

    /// A link that both ends have.
    public struct Link: Sendable, Hashable {
        /// A number that no other link of the world ever has.
        public let number: UInt64
        /// The controller that initiated the link.
        public let central: ControllerID
        /// The controller that advertised.
        public let peripheral: ControllerID
        /// The connection interval.
        public let interval: Duration
        /// The strength at which the central last received the peripheral, in dBm; `nil` before the
        /// first time.
        public let centralRSSI: Int?
        /// The strength at which the peripheral last received the central, in dBm; `nil` before the
        /// first time.
        public let peripheralRSSI: Int?
    }

    /// The instant of this state.
    public let instant: Instant
    /// The controllers in the world, in the order of their numbers.
    public let controllers: [Controller]
    /// The links, in the order of their numbers.
    public let links: [Link]
}

extension World {
    /// The current state of the world.
    public var status: WorldStatus {
        WorldStatus(
            instant: now,
            controllers: core.controllers.compactMap(status(of:)),
            links: core.ether.links.all.compactMap(status(of:))
        )
    }

    /// Returns the name of the controller; may be empty.
    public func name(of controller: ControllerID) -> String {
        core.controllers[controller.radio.index].configuration.name
    }

    /// Returns the text on the display of the controller's scripted host; `nil` for none.
    public func screen(of controller: ControllerID) -> String? {
        core.scriptedHosts.screen(at: controller.radio)
    }

    /// Returns the scan response that a device advertises now from this address; `nil` if no device
    /// with a scannable set does. No packet is sent.
    package func scanResponse(of address: DeviceAddress) -> [UInt8]? {
        for controller in core.controllers {
            for set in controller.advertiser.sets where set.configuration.isScannable {
                if set.run?.addresses.own == address { return set.response.bytes }
            }
        }
        return nil
    }

    /// Returns the key with which the central of a link has last requested encryption; `nil` if it
    /// has not, or if one of the two devices no longer has the link.
    ///
    /// - Parameters:
    ///   - handle: The handle of the link at the peripheral.
    ///   - peripheral: The controller of the peripheral.
    package func centralKey(
        of handle: ConnectionHandle,
        at peripheral: ControllerID
    ) -> HCI.Key128? {
        let links = core.ether.links
        guard let end = links.resources[peripheral.radio.index].handles[handle],
            end.side == .peripheral
        else { return nil }
        return links.read(end.link) { $0.central?.procedures.encryption.key } ?? nil
    }

    func status(of link: RadioLink) -> WorldStatus.Link? {
        guard let central = link.central, let peripheral = link.peripheral else { return nil }
        return WorldStatus.Link(
            number: link.id.rawValue,
            central: ControllerID(central.radio),
            peripheral: ControllerID(peripheral.radio),
            interval: central.settings.parameters.interval,
            centralRSSI: ReceivedSignal.known(central.rssi),
            peripheralRSSI: ReceivedSignal.known(peripheral.rssi)
        )
    }

    private func status(of controller: VirtualController) -> WorldStatus.Controller? {
        guard let station = core.ether.environment[controller.radio] else { return nil }
        let packetCounts = core.packetCounts[controller.radio.index]
        return WorldStatus.Controller(
            id: ControllerID(controller.radio),
            name: controller.configuration.name,
            publicAddress: controller.publicAddress,
            position: station.path.position(at: now),
            isOn: station.isOn,
            faults: core.ether.wires[controller.radio.index].plan,
            fromHostCount: packetCounts.fromHostCount,
            toHostCount: packetCounts.toHostCount,
            screen: core.scriptedHosts.screen(at: controller.radio)
        )
    }
}

extension World: CustomStringConvertible {
    /// The seed, the time and the faults of each controller that has any, in one line.
    public var description: String {
        let faulty = status.controllers.filter { $0.faults != .none }
        let plans = faulty.map { "; \($0.label): \($0.faults)" }
        return "World(seed: \(seed)) at \(now)" + plans.joined()
    }
}
