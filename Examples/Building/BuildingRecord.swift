// SPDX-License-Identifier: Apache-2.0

import VirtualRadio

/// The events of a run, for the checks and the page. Times are in seconds from the start of the
/// walks.
struct BuildingRecord: Sendable {
    /// A period in which a device has a link through one gateway.
    struct Stay: Sendable {
        let gateway: Int
        let from: Double
        var to: Double
    }

    struct Pause: Sendable {
        let from: Double
        let to: Double

        var length: Double { to - from }
    }

    /// A gateway without power or network.
    struct Outage: Sendable {
        let gateway: Int
        let kind: BuildingScenario.Incident.Kind
        let from: Double
        let to: Double
        /// The devices that were linked through the gateway.
        let devices: [Int]
    }

    struct Device: Sendable {
        let name: String
        /// The rooms in the order of the visits; one for a device that stays.
        let rooms: [Int]
        /// The positions at some times, with straight lines between them.
        let path: [(time: Double, position: Position)]
        var links: [Stay] = []
        /// The signal at the gateway in dBm, once in each `sampleInterval`.
        var signals: [Int?] = []
        /// The number of values that the app got.
        private(set) var valueCount = 0
        /// The time of the last value; 0 before the first.
        private var lastValue = 0.0
        /// The shortest time without a value that counts as a pause.
        let pauseLimit: Double
        /// The times at which the device became ready again.
        var returns: [Double] = []
        /// The times without a value, longer than `pauseLimit`.
        private(set) var pauses: [Pause] = []

        init(
            name: String,
            rooms: [Int],
            path: [(time: Double, position: Position)],
            pauseLimit: Double
        ) {
            (self.name, self.rooms, self.path) = (name, rooms, path)
            self.pauseLimit = pauseLimit
        }

        /// Records that the app got a value at a time.
        mutating func addValue(at time: Double) {
            valueCount += 1
            addPause(until: time)
            lastValue = time
        }

        /// Records the pause at the end of the record, if there is one.
        mutating func end(at time: Double) { addPause(until: time) }

        private mutating func addPause(until time: Double) {
            guard time - lastValue > pauseLimit else { return }
            pauses.append(Pause(from: lastValue, to: time))
        }

        var walks: Bool { rooms.count > 1 }

        /// The number of rooms that the device was in or passed in the corridor.
        var passedCount: Int {
            zip(rooms, rooms.dropFirst()).reduce(1) {
                $0 + FloorPlan.passedCount(from: $1.0, to: $1.1)
            }
        }

        /// The number of times that the device came to another gateway.
        var changeCount: Int {
            zip(links, links.dropFirst()).count { $0.gateway != $1.gateway }
        }
    }

    struct Line: Sendable {
        let time: Double
        let text: String
    }

    let seed: UInt64
    /// The time between two signals of a device in seconds.
    var sampleInterval = 1
    /// The length of the record in seconds.
    var length = 0.0
    var devices: [Device]
    var outages: [Outage] = []
    var lines: [Line] = []
    /// The number of Pairing Requests that the host has sent.
    var pairingCount = 0
    /// The largest number of links that one device had at a time.
    var mostLinks = 0
    /// The number of gateways of which the host has the lease at the end of the walks.
    var leaseCount = 0
    /// The number of links after the app's central has shut down.
    var remainingLinks = 0
    /// The number of leases after the host has shut down.
    var remainingLeases = 0
}
