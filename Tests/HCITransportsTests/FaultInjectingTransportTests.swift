// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization
import Testing

@testable import HCITransports

@Suite("Fault-injecting transport")
struct FaultInjectingTransportTests {
    /// Returns a packet that differs from others: an event that holds a number.
    private static func packet(_ number: UInt8) -> [UInt8] {
        [0x04, 0xFF, 0x02, number, 0x00]
    }

    /// A faulty transport on a pair, both ends open, with a clock that the test moves.
    private struct FaultHarness {
        let executor = ManualExecutor()
        let faulty: FaultInjectingTransport
        let controller: InProcessTransport
        let hostLog = Recorder()
        let controllerLog = Recorder()

        init(_ plan: TransportFaultPlan) async throws {
            let (near, far) = InProcessTransport.pair()
            faulty = FaultInjectingTransport(wrapping: near, plan: plan)
            controller = far
            try await open()
        }

        func open() async throws {
            try await faulty.open(on: executor, receive: hostLog.receive)
            try await controller.open(on: executor, receive: controllerLog.receive)
        }

        func sendToHost(_ range: ClosedRange<UInt8>) {
            for number in range { controller.send([FaultInjectingTransportTests.packet(number)]) }
            executor.drive()
        }

        func sendToController(_ range: ClosedRange<UInt8>) {
            for number in range { faulty.send([FaultInjectingTransportTests.packet(number)]) }
            executor.drive()
        }
    }

    /// Returns the numbers of the packets in a stream.
    private func numbers(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count - 4, by: 5).map { bytes[$0 + 3] }
    }

    private func plan(_ change: (inout TransportFaultPlan) -> Void) -> TransportFaultPlan {
        var plan = TransportFaultPlan(seed: 42)
        change(&plan)
        return plan
    }

    @Test("A plan without faults changes nothing")
    func noFaults() async throws {
        let harness = try await FaultHarness(TransportFaultPlan(seed: 1))
        harness.sendToHost(1...100)
        harness.sendToController(1...100)
        #expect(numbers(harness.hostLog.log.bytes) == Array(1...100))
        #expect(numbers(harness.controllerLog.log.bytes) == Array(1...100))
    }

    @Test("Packets are dropped at the configured rate, and the others keep their order")
    func drops() async throws {
        let harness = try await FaultHarness(plan { $0.toHost.drop = 0.25 })
        harness.sendToHost(1...200)
        let arrived = numbers(harness.hostLog.log.bytes)
        #expect((120...180).contains(arrived.count))
        #expect(arrived == arrived.sorted())
        harness.sendToController(1...200)
        #expect(harness.controllerLog.log.bytes.count == 1000)
    }

    @Test("The same seed makes the same faults, and another seed makes others")
    func deterministic() async throws {
        func run(seed: UInt64) async throws -> [UInt8] {
            var plan = TransportFaultPlan(seed: seed)
            plan.toHost.drop = 0.3
            plan.toHost.duplicate = 0.2
            plan.toHost.corrupt = 0.2
            let harness = try await FaultHarness(plan)
            harness.sendToHost(1...200)
            return harness.hostLog.log.bytes
        }
        let first = try await run(seed: 7)
        #expect(try await run(seed: 7) == first)
        #expect(try await run(seed: 8) != first)
    }

    @Test("The faults of one direction do not depend on the traffic of the other")
    func independent() async throws {
        func run(sending: Bool) async throws -> [UInt8] {
            let harness = try await FaultHarness(
                plan {
                    $0.toHost.drop = 0.5
                    $0.toController.drop = 0.5
                }
            )
            for number in 1...100 as ClosedRange<UInt8> {
                if sending { harness.sendToController(number...number) }
                harness.sendToHost(number...number)
            }
            return harness.hostLog.log.bytes
        }
        let busy = try await run(sending: true)
        let quiet = try await run(sending: false)
        #expect(busy == quiet)
    }

    @Test("Duplicates arrive one after the other")
    func duplicates() async throws {
        let harness = try await FaultHarness(plan { $0.toController.duplicate = 1 })
        harness.sendToController(1...3)
        #expect(numbers(harness.controllerLog.log.bytes) == [1, 1, 2, 2, 3, 3])
    }

    @Test("Corruption changes one bit, and never the length")
    func corrupts() async throws {
        let harness = try await FaultHarness(plan { $0.toHost.corrupt = 1 })
        harness.sendToHost(1...50)
        let bytes = harness.hostLog.log.bytes
        #expect(bytes.count == 250)
        for number in 1...50 as ClosedRange<UInt8> {
            let start = (Int(number) - 1) * 5
            let pairs = zip(bytes[start..<start + 5], Self.packet(number))
            let wrongBits = pairs.map { ($0 ^ $1).nonzeroBitCount }
            #expect(wrongBits.prefix(3).allSatisfy { $0 == 0 })
            #expect(wrongBits.reduce(0, +) == 1)
        }
    }

    @Test("A split packet arrives in two pieces")
    func splits() async throws {
        let harness = try await FaultHarness(plan { $0.toHost.split = 1 })
        harness.sendToHost(1...20)
        #expect(numbers(harness.hostLog.log.bytes) == Array(1...20))
        #expect(harness.hostLog.log.pieces.count == 40)
        #expect(harness.hostLog.log.pieces.allSatisfy { (1...4).contains($0) })
    }

    @Test("Delayed packets arrive within the limit and in order")
    func delays() async throws {
        let harness = try await FaultHarness(
            plan {
                $0.toHost.delay = 0.5
                $0.toHost.delayLimit = .milliseconds(100)
            }
        )
        harness.sendToHost(1...50)
        #expect(harness.hostLog.log.bytes.count < 250)
        harness.executor.advance(by: .milliseconds(100))
        #expect(numbers(harness.hostLog.log.bytes) == Array(1...50))
    }

    @Test("Packets that arrive in one piece are separated, and each has its own faults")
    func joinedInput() async throws {
        let harness = try await FaultHarness(plan { $0.toHost.drop = 0.5 })
        harness.controller.send((1...100).map { Self.packet($0) })
        harness.executor.drive()
        #expect((20...80).contains(numbers(harness.hostLog.log.bytes).count))
    }

    @Test("Packets that are sent during a receive keep their order, and none arrives meanwhile")
    func reentrant() async throws {
        let isSending = Mutex(false)
        let executor = ManualExecutor()
        let (near, far) = InProcessTransport.pair()
        let faulty = FaultInjectingTransport(wrapping: near, plan: TransportFaultPlan(seed: 1))
        let log = Recorder()
        let farLog = Recorder()
        try await faulty.open(on: executor) { event in
            log.receive(event)
            guard case .received(let bytes) = event else { return }
            #expect(!isSending.withLock { $0 })
            isSending.withLock { $0 = true }
            faulty.send([Array(bytes)])
            isSending.withLock { $0 = false }
        }
        try await far.open(on: executor, receive: farLog.receive)
        far.send((1...50).map { Self.packet($0) })
        executor.drive()
        #expect(numbers(log.log.bytes) == Array(1...50))
        #expect(numbers(farLog.log.bytes) == Array(1...50))
        faulty.close()
        executor.drive()
    }

    @Test("The transport closes after the configured packet, with an error for the fault")
    func closesAfter() async throws {
        let harness = try await FaultHarness(plan { $0.closesAfter = 10 })
        harness.sendToHost(1...6)
        harness.sendToController(1...6)
        harness.sendToHost(7...9)
        #expect(numbers(harness.hostLog.log.bytes) == Array(1...6))
        #expect(numbers(harness.controllerLog.log.bytes) == Array(1...4))
        #expect(harness.hostLog.log.closings == [.injected("closed after 10 packets")])
        #expect(harness.controllerLog.log.closings.count == 1)
    }

    @Test("The transport hangs after the configured packet and stays open")
    func hangsAfter() async throws {
        let harness = try await FaultHarness(plan { $0.hangsAfter = 3 })
        harness.sendToHost(1...5)
        harness.sendToController(1...5)
        #expect(numbers(harness.hostLog.log.bytes) == [1, 2, 3])
        #expect(harness.controllerLog.log.bytes.isEmpty)
        #expect(harness.hostLog.log.closings.isEmpty)
        harness.faulty.close()
        harness.executor.drive()
        #expect(harness.hostLog.log.closings == [nil])
    }

    @Test("The plan starts from its beginning each time the transport opens")
    func reopened() async throws {
        let harness = try await FaultHarness(plan { $0.closesAfter = 2 })
        for round in 1...3 {
            harness.sendToHost(1...3)
            #expect(numbers(harness.hostLog.log.bytes).count == 2 * round)
            #expect(harness.hostLog.log.closings.count == round)
            try await harness.open()
        }
    }

    @Test("Bytes that are no packets are passed on unchanged")
    func lostFraming() async throws {
        let harness = try await FaultHarness(TransportFaultPlan(seed: 1))
        harness.controller.send([[0xFF, 1, 2]])
        harness.executor.drive()
        #expect(harness.hostLog.log.bytes == [0xFF, 1, 2])
    }

    @Test("If bytes that are no packets follow packets, the packets arrive once")
    func lostFramingAfterPackets() async throws {
        let harness = try await FaultHarness(TransportFaultPlan(seed: 1))
        let (first, second) = (Self.packet(1), Self.packet(2))
        harness.controller.send([Array(first.prefix(3))])
        harness.controller.send([first.suffix(2) + second + [0xFF, 1, 2]])
        harness.executor.drive()
        #expect(harness.hostLog.log.bytes == first + second + [0xFF, 1, 2])
    }
}

@Suite("Faulty line")
struct FaultyLineTests {
    @Test("The line holds a limited number of pieces, and the oldest arrive early")
    func bound() {
        var rates = TransportFaultPlan.Rates()
        rates.delay = 1
        rates.delayLimit = .seconds(1000)
        var line = FaultyLine(rates, seed: 3)
        let extra = 10
        for _ in 0..<(FaultyLine.delayedPiecesLimit + extra) {
            line.add([0x04, 0xFF, 0x00], now: .zero)
        }
        var early = 0
        while line.nextArrived(now: .zero) != nil { early += 1 }
        #expect(early >= extra && early < extra + 100)
        #expect(line.nextDeadline != nil)
    }

    @Test("Packets without a complete header or payload are passed on")
    func shortPackets() {
        var rates = TransportFaultPlan.Rates()
        rates.corrupt = 1
        rates.split = 1
        var line = FaultyLine(rates, seed: 3)
        for packet in [[], [0x04], [0x02, 0], [0x01, 3, 12, 0]] as [[UInt8]] {
            line.add(packet[...], now: .zero)
            var bytes: [UInt8] = []
            while let piece = line.nextArrived(now: .zero) { bytes += piece }
            #expect(bytes == packet)
        }
    }
}
