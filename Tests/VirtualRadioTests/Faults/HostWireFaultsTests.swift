// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

/// Fifty commands at intervals of a millisecond, and all answers.
private struct CommandExchange {
    let host: RawHost

    init(seed: UInt64 = 1, _ adjust: (inout FaultPlan) -> Void) throws {
        var faults = FaultPlan()
        adjust(&faults)
        let world = World(seed: seed)
        host = try RawHost(world, ControllerConfiguration(faults: faults))
        for number in 0..<50 {
            world.send([0x01, UInt8(number), 0xFC, 0x00], to: host.id)
            world.run(for: .milliseconds(1))
        }
        world.run(for: .seconds(1))
    }

    /// The numbers of the answered commands, in the order of the answers.
    var answered: [Int] {
        host.events.map { event in
            guard case .commandStatus(let status) = event else { return -1 }
            return Int(status.opcode.rawValue) - 0xFC00
        }
    }
}

@Suite("A wire with faults") struct HostWireFaultsTests {
    @Test("A wire without faults has no delay and no loss") func plain() throws {
        let talk = try CommandExchange { _ in }
        #expect(talk.answered == Array(0..<50))
        #expect(talk.host.instants == (0..<50).map { .zero + .milliseconds($0) })
    }

    @Test("A fixed delay applies in both directions") func fixedLatency() throws {
        let talk = try CommandExchange {
            $0.toController.fixed = .milliseconds(3)
            $0.toHost.fixed = .microseconds(500)
        }
        #expect(talk.answered == Array(0..<50))
        #expect(talk.host.instants == (0..<50).map { .zero + .microseconds($0 * 1000 + 3500) })
    }

    @Test("A random delay is added, and the order is kept") func jitter() throws {
        let talk = try CommandExchange {
            $0.toHost = WireLatency(fixed: .milliseconds(1), jitter: .milliseconds(10))
        }
        #expect(talk.answered == Array(0..<50))
        #expect(talk.host.instants == talk.host.instants.sorted())
        let delays = zip(talk.host.instants, 0..<50).map { $0 - (.zero + .milliseconds($1)) }
        #expect(delays.allSatisfy { $0 >= .milliseconds(1) && $0 <= .milliseconds(11) })
        #expect(Set(delays).count > 20)
    }

    @Test("Events are dropped at the configured rate", arguments: [0.2, 0.5, 1.0])
    func drop(probability: Double) throws {
        let talk = try CommandExchange { $0.events.dropProbability = probability }
        #expect(abs(Double(talk.answered.count) - 50 * (1 - probability)) < 12)
        #expect(talk.answered == talk.answered.sorted())
    }

    @Test("Events are duplicated") func duplicate() throws {
        let talk = try CommandExchange { $0.events.duplicateProbability = 1 }
        #expect(talk.answered == (0..<50).flatMap { [$0, $0] })
    }

    @Test("Delayed events arrive after later events") func delay() throws {
        let talk = try CommandExchange {
            $0.events.delayProbability = 0.3
            $0.events.delay = .milliseconds(5)
        }
        #expect(talk.answered.sorted() == Array(0..<50))
        #expect(talk.answered != talk.answered.sorted())
        let late = zip(talk.answered, talk.host.instants).filter {
            $1 - (.zero + .milliseconds($0)) == .milliseconds(5)
        }
        #expect((5...25).contains(late.count))
    }

    @Test("Corruption does not change the framing of events", arguments: [1, 3, 1_000])
    func corrupt(bits: Int) throws {
        let talk = try CommandExchange {
            $0.events.corruptProbability = 1
            $0.events.corruptBitCount = bits
        }
        #expect(talk.host.packets.count == 50)
        var flipped = 0
        for (number, packet) in talk.host.packets.enumerated() {
            let sent = HCI.Event.begun(
                HCI.Opcode(rawValue: 0xFC00 + UInt16(number)),
                .unknownCommand
            )
            let difference = zip(packet.h4Bytes, sent.packet.h4Bytes).map { $0 ^ $1 }
            #expect(difference.count == 7)
            #expect(difference[0] == 0 && difference[2] == 0)
            flipped += difference.reduce(0) { $0 + $1.nonzeroBitCount }
        }
        #expect(bits == 1 ? flipped == 50 : flipped > 50)
    }

    @Test("The same seed causes the same faults, and another seed causes other faults") func seeds()
        throws
    {
        func run(_ seed: UInt64) throws -> [Int] {
            try CommandExchange(seed: seed) {
                $0.events.dropProbability = 0.3
                $0.events.duplicateProbability = 0.3
                $0.toHost.jitter = .milliseconds(3)
            }.answered
        }
        #expect(try run(5) == run(5))
        #expect(try run(5) != run(6))
    }

    @Test("The dropped events do not depend on other faults") func independence() throws {
        let dropped = try CommandExchange { $0.events.dropProbability = 0.3 }
        let both = try CommandExchange {
            $0.events.dropProbability = 0.3
            $0.events.duplicateProbability = 1
        }
        #expect(both.answered == dropped.answered.flatMap { [$0, $0] })
    }

    @Test("The faults of events do not affect data") func data() throws {
        let world = World(seed: 1)
        var faults = FaultPlan()
        faults.events.dropProbability = 1
        let host = try RawHost(world, ControllerConfiguration(faults: faults))
        let packet = HCI.ACLPacket(
            connectionHandle: ConnectionHandle(rawValue: 1),
            boundary: .firstFlushable,
            payload: [1, 2, 3]
        )
        world.core.ether.deliver(packet, to: host.id.radio)
        host.send(HCI.Reset())
        #expect(host.packets == [.acl(packet)])
    }

    @Test("A wire holds a limited number of packets") func bound() {
        var lane = WireLane(WireLatency(fixed: .seconds(1)), generator: RandomStream(seed: 1))
        for _ in 0..<WireLane.underWayLimit { #expect(lane.send(now: .zero) != nil) }
        #expect(lane.send(now: .zero) == nil)
        lane.arrived()
        #expect(lane.send(now: .zero) == .zero + .seconds(1))
    }
}
