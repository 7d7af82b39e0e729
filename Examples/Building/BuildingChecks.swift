// SPDX-License-Identifier: Apache-2.0

import BluetoothRadios

/// The figures of a run, and the limits that they must keep.
struct BuildingChecks: Sendable {
    struct Check: Sendable {
        let claim: String
        let figure: String
        let isKept: Bool
    }

    /// The maximum length, in seconds, of 99 of 100 pauses of all devices: the supervision timeout
    /// plus three seconds. A pause is a time without values from one device. In a run with fewer
    /// than 100 pauses, one may be longer.
    static let pauseLimit = RadioRules().supervisionTimeout / .seconds(1) + 3
    /// The longest time until a device is ready again after its gateway was lost, in seconds: the
    /// supervision timeout, the survey, the time in which only the best gateway tries to connect,
    /// and 1.5 s for encryption and the subscription. Few devices need more than 5 s: those to
    /// which the best gateway does not connect.
    static let returnLimit = RadioRules().returnLimit / .seconds(1) + 1.5
    /// The largest number of changes of the gateway for each room that a person visits or passes.
    static let changeLimit = 1.5

    let checks: [Check]

    var areKept: Bool { checks.allSatisfy(\.isKept) }

    init(_ record: BuildingRecord) {
        let walkers = record.devices.filter(\.walks)
        let rooms = walkers.map(\.passedCount).reduce(0, +)
        let changes = walkers.map(\.changeCount).reduce(0, +)
        let pauses = record.devices.flatMap(\.pauses).map(\.length).sorted()
        let long = pauses.count { $0 > Self.pauseLimit }
        let returns = record.returns
        let affected = Set(record.outages.flatMap(\.devices))
        let still = record.devices.indices.filter { !affected.contains($0) }
            .map { record.devices[$0] }.filter { !$0.walks }
        let stillChanges = still.map(\.changeCount).reduce(0, +)
        let (pauseLimit, returnLimit) = (Self.text(Self.pauseLimit), Self.text(Self.returnLimit))
        checks = [
            Check(
                claim: "99 of 100 pauses between values are at most \(pauseLimit) s",
                figure: "\(pauses.count) pauses, \(long) longer, at most "
                    + "\(Self.text(pauses.last ?? 0)) s",
                isKept: !pauses.isEmpty && long <= max(1, pauses.count / 100)
            ),
            Check(
                claim: "at most 1.5 changes of the gateway for each room on the way",
                figure: "\(changes) changes, \(rooms) rooms",
                isKept: changes > 0
                    && walkers.allSatisfy {
                        Double($0.changeCount) <= Self.changeLimit * Double($0.passedCount)
                    }
            ),
            Check(
                claim: "devices are ready at most \(returnLimit) s after the loss of their gateway",
                figure: returns.isEmpty
                    ? "no device was linked to a lost gateway"
                    : "\(returns.count) devices, at most \(Self.text(returns.max() ?? 0)) s",
                isKept: record.outages.isEmpty
                    || !returns.isEmpty && returns.allSatisfy { $0 <= Self.returnLimit }
            ),
            Check(
                claim: "each device paired once",
                figure: "\(record.pairingCount) pairings, \(record.devices.count) devices",
                isKept: record.pairingCount == record.devices.count
            ),
            Check(
                claim: "no device had two links",
                figure: "at most \(record.mostLinks) at a time",
                isKept: record.mostLinks == 1
            ),
            Check(
                claim: "devices beside a working gateway never changed it",
                figure: "\(stillChanges) changes of \(still.count) devices",
                isKept: stillChanges == 0
            ),
            Check(
                claim: "the host has every gateway again",
                figure: "\(record.leaseCount) of \(FloorPlan.rooms.count) at the end",
                isKept: record.leaseCount == FloorPlan.rooms.count
            ),
            Check(
                claim: "no link and no lease is left",
                figure: "\(record.remainingLinks) links, \(record.remainingLeases) leases",
                isKept: record.remainingLinks == 0 && record.remainingLeases == 0
            ),
        ]
    }

    static func text(_ number: Double) -> String {
        guard number.isFinite else { return "never" }
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension BuildingRecord {
    /// For each device that was linked through a lost gateway, the seconds from the loss until it
    /// was ready again.
    var returns: [Double] {
        outages.flatMap { outage in
            outage.devices.map { device in
                let next = devices[device].returns.first { $0 > outage.from }
                return (next ?? .infinity) - outage.from
            }
        }
    }
}

extension RadioRules {
    /// The longest time from the loss of a radio until all others try to connect to its peers.
    fileprivate var returnLimit: Duration { supervisionTimeout + surveyLimit + headStart }
}
