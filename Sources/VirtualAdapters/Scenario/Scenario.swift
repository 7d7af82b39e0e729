// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// The devices of a world, their positions, and the changes that happen to them over time.
///
/// A scenario file is JSON; `docs/SCENARIOS.md` describes every key. A scenario is only a plan:
/// `populate` adds its devices to a world, and an air plays it.
public struct Scenario: Hashable, Sendable {
    /// The maximum number of devices.
    public static let deviceLimit = 1_000
    /// The maximum length of each list of changes: the waypoints of a device, its switches, the
    /// losses, and the partitions.
    public static let changeLimit = 10_000

    /// A device of the scenario.
    public struct Device: Hashable, Sendable {
        /// The name of the device and of its controller.
        public var name: String
        /// The public address; `nil` for an address that follows from the seed.
        public var address: DeviceAddress?
        /// The kind of accessory; `nil` if the controller waits for a host.
        public var accessory: String?
        /// The pairing of the accessory; `nil` for the default of its kind.
        public var pairing: Pairing?
        /// Whether the controller has the features of Bluetooth 4.2.
        public var isOld = false
        /// The position over time.
        public var path = Path(.origin)
        /// The transmit power, in dBm.
        public var transmitPower = 0.0
        /// The faults of the controller.
        public var faults = FaultPlan.none
        /// The group of the device in a partitioned world; `nil` for none.
        public var group: String?
        /// The times at which the device is switched on and off. It is on at first, unless a switch
        /// at 0 turns it off.
        public var switches: [Switch] = []

        /// Creates a device with the name, at the origin.
        public init(name: String) { self.name = name }
    }

    /// A change of a device's power.
    public struct Switch: Hashable, Sendable {
        /// The time of the change, since the beginning of the scenario.
        public var at: Duration
        /// Whether the device is on from then on.
        public var isOn: Bool

        /// Creates a change of power.
        public init(at: Duration, isOn: Bool) {
            self.at = at
            self.isOn = isOn
        }
    }

    /// A fixed loss between two devices, whatever their positions.
    public struct Loss: Hashable, Sendable {
        /// The names of the two devices.
        public var between: [String]
        /// The time from which the loss applies, since the beginning of the scenario.
        public var at: Duration
        /// The loss in decibels; `nil` if it follows from the positions again.
        public var decibels: Double?

        /// Creates a loss between two devices.
        public init(between: [String], at: Duration = .zero, decibels: Double?) {
            self.between = between
            self.at = at
            self.decibels = decibels
        }
    }

    /// A time in which no signal passes between two groups.
    public struct Partition: Hashable, Sendable {
        /// The names of the groups.
        public var between: [String]
        /// The start of the partition, since the beginning of the scenario.
        public var from: Duration
        /// The end of the partition, since the beginning of the scenario; `nil` for no end.
        public var to: Duration?

        /// Creates a partition between two groups.
        public init(between: [String], from: Duration = .zero, to: Duration? = nil) {
            self.between = between
            self.from = from
            self.to = to
        }
    }

    /// The seed of the world; `nil` if the user of the scenario chooses it.
    public var seed: UInt64?
    /// The path loss of the world.
    public var pathLoss = PathLoss.indoors
    /// The shadowing of the world.
    public var shadowing = Shadowing.none
    /// The devices.
    public var devices: [Device] = []
    /// The fixed losses between devices.
    public var losses: [Loss] = []
    /// The partitions between groups.
    public var partitions: [Partition] = []

    /// Creates a scenario without devices.
    public init() {}
}

/// An error in the text of a scenario, with its place.
public struct ScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path of the invalid value, such as `devices[2].path[0].at`, or the line and the column
    /// of the character if the text is not valid JSON.
    public let place: String
    /// The description of the error.
    public let problem: String

    /// Place and description, in one line.
    public var description: String { place.isEmpty ? problem : "\(place): \(problem)" }
}
