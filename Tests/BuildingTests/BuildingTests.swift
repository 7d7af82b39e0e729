// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import ProcessTestSupport
import Testing

@testable import ExampleBuilding

/// The example Building: its figures, and its page in Chromium.
@Suite("The building")
struct BuildingTests {
    private static func scenario(seed: UInt64) -> BuildingScenario {
        var scenario = BuildingScenario()
        scenario.seed = seed
        return scenario
    }

    @Test(
        "All figures are within their limits",
        .timeLimit(.minutes(20)),
        arguments: RunSeed.seeds(2)
    )
    func limits(seed: UInt64) async throws {
        let simulation = try BuildingSimulation(Self.scenario(seed: seed))
        let record = try await simulation.run()
        for check in BuildingChecks(record).checks {
            #expect(check.isKept, "\(check.claim): \(check.figure), seed \(seed)")
        }
        #expect(record.outages.count == 2)
        #expect(record.devices.filter(\.walks).allSatisfy { $0.rooms.count > 3 })
    }

    // Each device requests a supervision timeout of 4 s together with the interval.
    @Test(
        "All figures are within their limits if the devices request a connection interval",
        .timeLimit(.minutes(20))
    )
    func interval() async throws {
        var scenario = Self.scenario(seed: 1)
        scenario.interval = .milliseconds(500)
        let record = try await BuildingSimulation(scenario).run()
        for check in BuildingChecks(record).checks {
            #expect(check.isKept, "\(check.claim): \(check.figure)")
        }
    }

    @Test("A figure beyond its limit is reported")
    func beyond() throws {
        var device = BuildingRecord.Device(
            name: "Ada",
            rooms: [0, 1],
            path: [(0, .origin)],
            pauseLimit: 6
        )
        device.links = [
            .init(gateway: 0, from: 0, to: 10), .init(gateway: 1, from: 20, to: 30),
            .init(gateway: 0, from: 31, to: 40), .init(gateway: 1, from: 41, to: 50),
            .init(gateway: 0, from: 51, to: 60),
        ]
        device.returns = [5, 25]
        for time in [1.0, 9, 25, 59] { device.addValue(at: time) }
        device.end(at: 60)
        #expect(device.valueCount == 4)
        #expect(device.pauses.map(\.length) == [8, 16, 34])
        var record = BuildingRecord(seed: 1, devices: [device])
        record.outages = [.init(gateway: 0, kind: .power, from: 10, to: 20, devices: [0])]
        (record.pairingCount, record.mostLinks, record.leaseCount) = (2, 2, 11)
        (record.remainingLinks, record.remainingLeases) = (1, 1)
        let checks = BuildingChecks(record)
        #expect(!checks.areKept)
        #expect(device.passedCount == 2)
        let kept = checks.checks.filter(\.isKept).map(\.claim)
        #expect(kept == ["devices beside a working gateway never changed it"])
        #expect(record.returns == [15])
    }

    @Test("Arguments change the scenario, and wrong ones are refused")
    func arguments() throws {
        let arguments = try BuildingArguments(["--seed", "7", "page.html", "--minutes", "3"])
        #expect(arguments.page == "page.html")
        #expect(arguments.scenario.seed == 7)
        #expect(arguments.scenario.duration == .seconds(180))
        #expect(arguments.scenario.incidents.isEmpty)
        let faults = try BuildingArguments(["--faults", "40", "--links", "64", "--minutes", "60"])
        #expect(faults.scenario.linkLimit == 64)
        let incidents = faults.scenario.incidents
        #expect(incidents.count == 40 && Set(incidents.map(\.kind)).count == 2)
        #expect(zip(incidents, incidents.dropFirst()).allSatisfy { $0.at + $0.length < $1.at })
        #expect(try BuildingArguments(["--faults", "0"]).scenario.incidents.isEmpty)
        let slow = try BuildingArguments(["--interval", "500"])
        #expect(slow.scenario.interval == .milliseconds(500))
        let wrong = [
            ["--seed"], ["--people", "0"], ["--faults", "-1"], ["--links", "0"], ["--wrong"],
            ["--interval", "5000"], ["a.html", "b.html"],
        ]
        for arguments in wrong {
            #expect(throws: BuildingArguments.Problem.self) { try BuildingArguments(arguments) }
        }
    }

    @Test(
        "The page shows people, changes of gateways, and the loss of two gateways",
        .enabled(
            if: PageBrowser.isAvailable,
            "this machine has no Chromium or no websockets for Python"
        ),
        .timeLimit(.minutes(20))
    )
    func page() async throws {
        let record = try await BuildingSimulation(Self.scenario(seed: 1)).run()
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/building.html"
        let page = BuildingPage(record, BuildingChecks(record))
        #expect(!page.html.contains("{{"))
        try page.write(to: file)
        let script = "BuildingTests/building_page.py"
        var steps: [String: Step] = [:]
        for line in try await PageBrowser.run(script, "walk", at: "file://" + file) {
            let step = try JSONDecoder().decode(Step.self, from: Data(line.utf8))
            steps[step.step] = step
        }
        #expect(steps["failed"] == nil, "\(steps["failed"]?.error ?? "")")
        check(steps, record)
    }

    private func check(_ steps: [String: Step], _ record: BuildingRecord) {
        let opened = steps["opened"]
        #expect(opened?.gatewayCount == FloorPlan.rooms.count)
        #expect(opened?.deviceCount == record.devices.count)
        #expect(opened?.requests == 0)
        #expect(opened?.checks == BuildingChecks(record).checks.count && opened?.beyond == 0)
        #expect(steps["moved"]?.walked?.allSatisfy { $0 } == true)
        #expect(steps["moved"]?.still?.allSatisfy { $0 } == true)
        // Each person was linked through several gateways.
        let people = record.devices.count(where: \.walks)
        #expect(steps["gateways"]?.different?.prefix(people).allSatisfy { $0 > 1 } == true)
        #expect(steps["gateways"]?.outside == 0)
        // Names may overlap at a few of the times that the script examines.
        #expect(steps["gateways"]?.overlaps ?? .max <= 3)
        let lost = steps["lost"]
        #expect(lost?.names == record.outages.map { FloorPlan.rooms[$0.gateway].name })
        #expect(lost?.back?.count == 2)
        for (name, back) in zip(lost?.names ?? [], lost?.back ?? []) {
            #expect(!back.isEmpty && !back.contains(name) && !back.contains("none"))
        }
        #expect(lost?.isLost == [[false, true, false], [false, true, false]])
        #expect(steps["chosen"]?.rows == 1 && steps["chosen"]?.ways ?? 0 > 1)
        #expect(steps["player"]?.stepped ?? 0 > 0 && steps["player"]?.stays == true)
        #expect(steps["sought"]?.off ?? 10 < 2)
        #expect(steps["narrow"]?.overflow == 0)
        #expect(steps["end"]?.errors == [])
    }
}

/// A line that the script prints.
private struct Step: Decodable {
    let step: String
    let gatewayCount: Int?
    let deviceCount: Int?
    let checks: Int?
    let beyond: Int?
    let requests: Int?
    /// Whether each person is at another place at the end of the run than at its start.
    let walked: [Bool]?
    /// Whether each sensor is at the same place at the end of the run as at its start.
    let still: [Bool]?
    /// The number of different gateways that the list shows for each device during the run.
    let different: [Int]?
    let overlaps: Int?
    let outside: Int?
    let names: [String]?
    /// Whether each lost gateway is shown as lost before, during and after its outage.
    let isLost: [[Bool]]?
    /// The gateways of the devices of each lost gateway 20 s after the loss.
    let back: [[String]]?
    let rows: Int?
    let ways: Int?
    let stepped: Double?
    let stays: Bool?
    let off: Double?
    let overflow: Int?
    let errors: [String]?
    let error: String?
}
