// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Thousands of random inputs. The model controller checks that every operation is legal. At the
/// end, every request must have ended.
@Suite("A random schedule")
struct RandomizedScheduleTests {
    struct Run {
        var harness: SchedulerHarness
        var random: SplitMix64
        var nextID: UInt64 = 1
        var directs: Set<UInt64> = []
        var requested: [UInt64: DeviceAddress] = [:]
        var cancelled: Set<UInt64> = []

        init(seed: UInt64) throws {
            random = SplitMix64(seed: seed)
            let size = Int.random(in: 0...4, using: &random)
            let canOverlap = Bool.random(using: &random)
            harness = try SchedulerHarness(
                acceptListSize: size,
                canOverlap: canOverlap,
                reportsStates: Bool.random(using: &random)
            )
        }

        var open: [UInt64] {
            requested.keys.filter { harness.outcomes[$0] == nil }.sorted()
        }

        mutating func step() throws {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...3: try request()
            case 4...5: try withdraw()
            case 6: try changeScan()
            case 7...9: try appear()
            case 10: try fail()
            case 11: try harness.linkCloses()
            case 12 where random.happens(oneIn: 10): try reset()
            case 13: harness.answersAtOnce.toggle()
            case 14: if harness.controller.isScanning { try harness.scanTimesOut() }
            case 15...16: if harness.outstanding != nil { try harness.answer() }
            default:
                try harness.advance(by: .milliseconds(Int.random(in: 1...4000, using: &random)))
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
                try harness.requestConnection(id, address, parameters)
            } else {
                try harness.addPendingRequest(id, address, parameters)
            }
        }

        mutating func withdraw() throws {
            guard let id = open.randomElement(using: &random) else { return }
            cancelled.insert(id)
            try harness.cancel(id)
        }

        mutating func changeScan() throws {
            guard Bool.random(using: &random) else { return try harness.scan(nil) }
            var parameters = ScanParameters()
            parameters.isActive = Bool.random(using: &random)
            if Bool.random(using: &random) { parameters.duplicateFilterRestart = .seconds(2) }
            let isBounded = Bool.random(using: &random)
            try harness.scan(parameters, duration: isBounded ? .seconds(7) : nil)
        }

        mutating func appear() throws {
            guard let address = harness.controller.listensFor.randomElement(using: &random)
            else { return }
            try harness.appear(address)
        }

        mutating func fail() throws {
            guard let address = harness.controller.listensFor.randomElement(using: &random)
            else { return }
            try harness.failAttempt(.connectionFailedToBeEstablished, address)
        }

        mutating func reset() throws {
            try harness.reset()
            try harness.advance(by: .seconds(1))
            try harness.configure()
        }

        /// Makes the controller behave correctly from now on, and expects that all open requests
        /// end.
        mutating func expectEnds() throws {
            harness.answersAtOnce = true
            if harness.outstanding != nil { try harness.answer() }
            try harness.scan(ScanParameters())
            for id in open where cancelled.contains(id) {
                try harness.advance(by: CentralScheduler.endLimit)
                #expect(harness.outcomes[id] != nil, "Canceled request \(id) did not end")
            }
            try expectNoStarvation()
            for address in Set(open.compactMap { requested[$0] }).sorted(by: { $0.value < $1.value }
            ) {
                try connect(address)
            }
            #expect(open.isEmpty)
        }

        /// Expects that the controller initiates to the peer of every open request within a bounded
        /// number of slices.
        private mutating func expectNoStarvation() throws {
            var waiting = Set(open.compactMap { requested[$0] })
            var scanned = 0
            for _ in 0..<120 {
                waiting.subtract(harness.controller.listensFor)
                if harness.controller.isScanning { scanned += 1 }
                try harness.advance(by: CentralScheduler.sliceDuration / 2)
            }
            #expect(waiting.isEmpty, "Starved requests: \(waiting)")
            #expect(scanned >= 40, "The scan ran at \(scanned) of 120 times")
        }

        private mutating func connect(_ address: DeviceAddress) throws {
            for _ in 0..<120 where !harness.controller.listensFor.contains(address) {
                try harness.advance(by: CentralScheduler.sliceDuration / 2)
            }
            try harness.appear(address)
        }
    }

    @Test(
        "All operations are legal, and each request gets its turn and ends once",
        arguments: RunSeed.seeds(60)
    )
    func random(seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<1000 { try run.step() }
        try run.expectEnds()
        for (id, outcome) in run.harness.outcomes {
            switch outcome {
            case .connected: break
            case .failed(.cancelled): #expect(run.cancelled.contains(id))
            case .failed: #expect(run.directs.contains(id), "Only direct requests fail")
            }
        }
        #expect(run.harness.outcomes.count == run.requested.count)
    }
}
