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

        /// Its name, or its number if it has none.
        public var label: String { name.isEmpty ? id.description : name }
    }

    /// When it was.
    public let instant: Instant
    /// The controllers that are there, in the order of their numbers.
    public let controllers: [Controller]
}

extension World {
    /// What the world looks like now.
    public var status: WorldStatus {
        WorldStatus(instant: now, controllers: core.controllers.compactMap(status(of:)))
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
            faults: controller.configuration.faults,
            fromHostCount: traffic.fromHostCount,
            toHostCount: traffic.toHostCount
        )
    }
}
