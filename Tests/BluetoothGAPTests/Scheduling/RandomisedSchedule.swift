// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Thousands of random inputs. The model controller checks that every order is legal. At the end
/// every request must have ended.
@Suite("A random schedule")
struct RandomisedSchedule {
    struct Run {
        var bench: SchedulerBench
        var random: SplitMix64
        var nextID: UInt64 = 1
        var directs: Set<UInt64> = []
        var requested: [UInt64: DeviceAddress] = [:]
        var cancelled: Set<UInt64> = []

        init(seed: UInt64) throws {
            random = SplitMix64(seed: seed)
            let size = Int.random(in: 0...4, using: &random)
            let canOverlap = Bool.random(using: &random)
            bench = try SchedulerBench(
                acceptListSize: size,
                canOverlap: canOverlap,
                saysSo: Bool.random(using: &random)
            )
        }

        var open: [UInt64] {
            requested.keys.filter { bench.outcomes[$0] == nil }.sorted()
        }

        mutating func step() throws {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...3: try request()
            case 4...5: try withdraw()
            case 6: try changeScan()
            case 7...9: try appear()
            case 10: try fail()
            case 11: try bench.linkCloses()
            case 12 where random.happens(oneIn: 10): try reset()
            case 13: bench.answersAtOnce.toggle()
            case 14: if bench.controller.isScanning { try bench.scanTimesOut() }
            case 15...16: if bench.outstanding != nil { try bench.answer() }
            default:
                try bench.advance(by: .milliseconds(Int.random(in: 1...4000, using: &random)))
            }
        }

        mutating func request() throws {
            guard open.count < 12 else { return }
            let id = nextID
            nextID += 1
            let address = DeviceAddress.accessory(UInt64.random(in: 1...8, using: &random))
            requested[id] = address
            var parameters = ConnectParameters()
            if random.happens(oneIn: 4) { parameters.peripheralLatency = 4 }
            if Bool.random(using: &random) {
                directs.insert(id)
                try bench.dial(id, address, parameters)
            } else {
                try bench.stand(id, address, parameters)
            }
        }

        mutating func withdraw() throws {
            guard let id = open.randomElement(using: &random) else { return }
            cancelled.insert(id)
            try bench.cancel(id)
        }

        mutating func changeScan() throws {
            guard Bool.random(using: &random) else { return try bench.scan(nil) }
            var parameters = ScanParameters()
            parameters.isActive = Bool.random(using: &random)
            if Bool.random(using: &random) { parameters.duplicateFilterRestart = .seconds(2) }
            let isBounded = Bool.random(using: &random)
            try bench.scan(parameters, duration: isBounded ? .seconds(7) : nil)
        }

        mutating func appear() throws {
            guard let address = bench.controller.listensFor.randomElement(using: &random)
            else { return }
            try bench.appear(address)
        }

        mutating func fail() throws {
            guard let address = bench.controller.listensFor.randomElement(using: &random)
            else { return }
            try bench.failAttempt(.connectionFailedToBeEstablished, address)
        }

        mutating func reset() throws {
            try bench.reset()
            try bench.advance(by: .seconds(1))
            try bench.configure()
        }

        /// Makes the controller behave correctly from now on, and expects that all open requests
        /// end.
        mutating func reckon() throws {
            bench.answersAtOnce = true
            if bench.outstanding != nil { try bench.answer() }
            try bench.scan(ScanParameters())
            for id in open where cancelled.contains(id) {
                try bench.advance(by: CentralScheduler.endLimit)
                #expect(bench.outcomes[id] != nil, "withdrawn request \(id) never ended")
            }
            try expectNobodyStarves()
            for address in Set(open.compactMap { requested[$0] }).sorted(by: { $0.value < $1.value }
            ) {
                try connect(address)
            }
            #expect(open.isEmpty)
        }

        /// Expects that the controller initiates to the peer of every open request within a bounded
        /// number of slices.
        private mutating func expectNobodyStarves() throws {
            var waiting = Set(open.compactMap { requested[$0] })
            var scanned = 0
            for _ in 0..<120 {
                waiting.subtract(bench.controller.listensFor)
                if bench.controller.isScanning { scanned += 1 }
                try bench.advance(by: CentralScheduler.sliceDuration / 2)
            }
            #expect(waiting.isEmpty, "starved: \(waiting)")
            #expect(scanned >= 40, "the scan starved: \(scanned) of 120")
        }

        private mutating func connect(_ address: DeviceAddress) throws {
            for _ in 0..<120 where !bench.controller.listensFor.contains(address) {
                try bench.advance(by: CentralScheduler.sliceDuration / 2)
            }
            try bench.appear(address)
        }
    }

    @Test(
        "All orders are legal, each request ends once, and each gets its turn",
        arguments: RunSeed.seeds(60)
    )
    func random(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<1000 { try run.step() }
        try run.reckon()
        for (id, outcome) in run.bench.outcomes {
            switch outcome {
            case .connected: break
            case .failed(.cancelled): #expect(run.cancelled.contains(id))
            case .failed: #expect(run.directs.contains(id), "a standing request failed")
            }
        }
        #expect(run.bench.outcomes.count == run.requested.count)
    }
}
