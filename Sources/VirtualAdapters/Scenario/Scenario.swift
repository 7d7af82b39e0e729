// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// Who is on an air, where, and what happens to them in the course of time.
///
/// As a file it is JSON; `docs/SCENARIOS.md` tells every key. A scenario is a plan only: `populate`
/// puts it into a world, and an air plays it.
public struct Scenario: Hashable, Sendable {
    /// How many devices there may be.
    public static let deviceLimit = 1_000
    /// How many waypoints, switchings, losses and partitions there may be, of each kind.
    public static let changeLimit = 10_000

    /// One device.
    public struct Device: Hashable, Sendable {
        /// Its controller: name, place, power and faults.
        public var name: String
        /// Its own public address; nil for one that follows from the seed.
        public var address: DeviceAddress?
        /// The kind of accessory that it is; nil if its controller waits for a host.
        public var accessory: String?
        /// How the accessory pairs; nil if as its kind does.
        public var pairing: Pairing?
        /// Whether its controller is one as of Bluetooth 4.2, not of today.
        public var isOld = false
        /// Where it is, and when.
        public var path = Path(.origin)
        /// The power with which it sends, in dBm.
        public var transmitPower = 0.0
        /// What goes wrong with it.
        public var faults = FaultPlan.none
        /// The group in which it is, when the world is partitioned.
        public var group: String?
        /// When it is switched on and off; it is on at the beginning, unless it says otherwise at 0.
        public var switches: [Switch] = []

        /// A device of that name, at the origin.
        public init(name: String) { self.name = name }
    }

    /// A device is switched.
    public struct Switch: Hashable, Sendable {
        /// When, from the beginning.
        public var at: Duration
        /// Whether it is on then.
        public var isOn: Bool

        /// The device is switched on or off at that time.
        public init(at: Duration, isOn: Bool) {
            self.at = at
            self.isOn = isOn
        }
    }

    /// The loss between two devices becomes what is said here, wherever they are.
    public struct Loss: Hashable, Sendable {
        /// The names of the two.
        public var between: [String]
        /// When, from the beginning.
        public var at: Duration
        /// In decibels; nil if it follows from their places again.
        public var decibels: Double?

        /// The loss between these two from that time on.
        public init(between: [String], at: Duration = .zero, decibels: Double?) {
            self.between = between
            self.at = at
            self.decibels = decibels
        }
    }

    /// A wall that no signal passes stands between two groups for a time.
    public struct Partition: Hashable, Sendable {
        /// The names of the groups.
        public var between: [String]
        /// From when on, from the beginning.
        public var from: Duration
        /// Until when; nil for ever.
        public var to: Duration?

        /// A wall between these two groups for that time.
        public init(between: [String], from: Duration = .zero, to: Duration? = nil) {
            self.between = between
            self.from = from
            self.to = to
        }
    }

    /// The seed of the world; nil if somebody else may choose it.
    public var seed: UInt64?
    /// How signals fade with distance.
    public var pathLoss = PathLoss.indoors
    /// What walls and bodies add to that.
    public var shadowing = Shadowing.none
    /// Who is there.
    public var devices: [Device] = []
    /// Losses that are given.
    public var losses: [Loss] = []
    /// Walls that come and go.
    public var partitions: [Partition] = []

    /// A scenario in which nobody is there.
    public init() {}
}

/// Why a text is no scenario: where, and what should be there.
public struct ScenarioError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The way to the value that is wrong, `devices[2].path[0].at`; or the line and the column of
    /// the character, where the text is not even JSON.
    public let place: String
    /// What is wrong with it.
    public let complaint: String

    /// Both, as a line.
    public var description: String { place.isEmpty ? complaint : "\(place): \(complaint)" }
}
