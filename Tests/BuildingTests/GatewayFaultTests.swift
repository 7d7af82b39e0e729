// SPDX-License-Identifier: Apache-2.0

import BluetoothRadios
import BluetoothTypes
import CoreBluetooth
import Foundation
import Lanyard
import LanyardTestSupport
import LanyardTesting
import Testing
import VirtualRadio

@testable import ExampleBuilding

/// Gateways that lose their power or their network again and again, several at a time.
@Suite("Faults of gateways")
struct GatewayFaultTests {
    /// The number of cycles. A cycle is a fault of one gateway, and its end.
    private static let cycleCount =
        ProcessInfo.processInfo.environment["LANYARD_CYCLES"].flatMap { Int($0) } ?? 200
    /// The number of cycles after which all gateways work for `recovery`, and the test counts
    /// leases and links.
    private static let cyclesPerCheck = 200
    /// The time after which all accessories must be ready again.
    private static let recovery = Duration.seconds(60)

    /// The faults of the gateways, each at a random time.
    private struct Faults {
        private var random: SplitMix64
        /// The fault of each gateway that has one.
        private var open: [Int: BuildingScenario.Incident.Kind] = [:]
        private var changes: [Duration]
        private(set) var beginnings = 0

        init(seed: UInt64, count: Int) {
            random = SplitMix64(seed: seed)
            changes = Array(repeating: .zero, count: count)
            for gateway in changes.indices { changes[gateway] = nextTime(2...12) }
        }

        private mutating func nextTime(_ range: ClosedRange<Double>) -> Duration {
            .seconds(Double.random(in: range, using: &random))
        }

        /// Begins and ends the faults that are due. Returns the time of the next change.
        mutating func pass(_ now: Duration, _ gateways: [SimulatedGateway]) -> Duration {
            for (number, gateway) in gateways.enumerated() where changes[number] <= now {
                if let kind = open.removeValue(forKey: number) {
                    set(kind, of: gateway, works: true)
                    changes[number] = now + nextTime(2...12)
                } else {
                    let kind: BuildingScenario.Incident.Kind =
                        Bool.random(using: &random) ? .power : .network
                    open[number] = kind
                    set(kind, of: gateway, works: false)
                    beginnings += 1
                    changes[number] = now + nextTime(1...8)
                }
            }
            return changes.min() ?? now
        }

        /// Ends all faults.
        mutating func end(_ gateways: [SimulatedGateway]) {
            for (number, kind) in open { set(kind, of: gateways[number], works: true) }
            open = [:]
        }

        private func set(
            _ kind: BuildingScenario.Incident.Kind,
            of gateway: SimulatedGateway,
            works: Bool
        ) {
            switch kind {
            case .power: gateway.setPower(works)
            case .network: gateway.setCut(!works)
            }
        }
    }

    @Test(
        "No lease and no connection slot is lost in many faults of gateways",
        .timeLimit(.minutes(120)),
        arguments: RunSeed.seeds(1)
    )
    func cycles(seed: UInt64) async throws {
        var scenario = BuildingScenario()
        (scenario.seed, scenario.walkerCount, scenario.sensorCount) = (seed, 2, 2)
        let simulation = try BuildingSimulation(scenario)
        let world = simulation.world
        let gateways = simulation.gateways
        // A time limit beyond the time that the run needs, because the cycles of different gateways
        // overlap.
        let limit = Duration.seconds(Self.cycleCount) + Self.recovery * (Self.cycleCount / 10 + 2)
        try await simulation.run(for: limit) { accessories in
            var faults = Faults(seed: seed, count: gateways.count)
            var checked = 0
            let start = world.now
            while faults.beginnings < Self.cycleCount {
                let next = faults.pass(world.now - start, gateways)
                try await world.advance(by: max(next - (world.now - start), .milliseconds(1)))
                guard faults.beginnings >= checked + Self.cyclesPerCheck else { continue }
                checked = faults.beginnings
                try await Self.check(simulation, accessories, &faults)
            }
            try await Self.check(simulation, accessories, &faults)
            let seconds = Int((world.now - start) / .seconds(1))
            print("\(faults.beginnings) faults in \(seconds) s of virtual time, seed \(seed)")
        }
        let record = simulation.recorder.record
        #expect(record.remainingLinks == 0 && record.remainingLeases == 0, "seed \(seed)")
        #expect(record.pairingCount == simulation.devices.count, "a device paired again")
        #expect(record.mostLinks == 1, "seed \(seed)")
    }

    /// Ends all faults, and counts leases and links after `recovery`.
    private static func check(
        _ simulation: BuildingSimulation,
        _ accessories: [Accessory],
        _ faults: inout Faults
    ) async throws {
        let world = simulation.world
        faults.end(simulation.gateways)
        try await world.advance(by: recovery)
        let comment: Comment = "\(faults.beginnings) faults, seed \(simulation.scenario.seed)"
        let leaseCount = simulation.gateways.count(where: \.isLeased)
        #expect(leaseCount == simulation.gateways.count, comment)
        let readyCount = accessories.count { $0.state == .ready }
        #expect(readyCount == accessories.count, comment)
        let links = world.air.world.status.links
        #expect(links.count == accessories.count, comment)
        let report = try #require(await simulation.adapter.radioReport)
        #expect(report.peers.count == accessories.count, comment)
        for (gateway, radio) in zip(simulation.gateways, report.radios) {
            #expect(radio.isUsable && radio.slotLimit == nil, comment)
            // The host counts the links that the controller has.
            let count = links.count { $0.central == gateway.controller }
            #expect(radio.linkCount == count, comment)
        }
    }
}
