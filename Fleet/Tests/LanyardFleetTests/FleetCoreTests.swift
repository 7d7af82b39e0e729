// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard
import Testing

@testable import LanyardFleet

struct FleetCoreTests {
    @Test("Values wait on the disk while no broker is connected, and are then sent in order")
    func brokerAway() throws {
        var host = try FleetHarness.holding()
        host.input { core, _ in core.brokerDisconnected() }
        for byte in 0..<40 { host.value(UInt8(byte)) }
        #expect(host.published.isEmpty)
        #expect(host.core.waitingNumbers == (0..<40).map(Double.init))
        #expect(Journal.read(host.journal.flatMap(Journal.encode)).records == host.journal)

        host.connect()
        let first = host.published.filter { $0.number != nil }
        #expect(first.count == Outbox.inFlightLimit)
        host.acknowledgeAll()
        let numbers = host.published.compactMap(\.number)
        #expect(numbers.count == 40)
        #expect(numbers == numbers.sorted())
        #expect(host.core.outbox.messages.isEmpty)
        #expect(host.core.outbox.bytes == 0)
    }

    @Test("A record is on the disk before its message is sent")
    func persistBeforePublishing() throws {
        var host = try FleetHarness.holding()
        host.value(70)
        let actions = host.take()
        let record = actions.firstIndex { if case .persist(.message) = $0 { true } else { false } }
        let message = actions.firstIndex { if case .publish(_, _?) = $0 { true } else { false } }
        #expect(try #require(record) < #require(message))
    }

    @Test("A restarted host sends what the broker has not acknowledged, and reuses no number")
    func restart() throws {
        var host = try FleetHarness.holding()
        host.value(1)
        host.acknowledgeAll()
        host.value(2)
        let last = try #require(host.core.outbox.messages.last?.number)
        var next = try host.restarted()
        next.connect()
        let sent = next.published.filter { $0.number != nil }
        #expect(sent.map(\.number) == [last])
        #expect(next.core.waitingNumbers == [2])
        #expect(next.core.outbox.nextNumber == last + 1)
        // A journal that was rewritten has the same contents.
        var again = try FleetHarness()
        again.journal = next.core.journal
        let compacted = try again.restarted()
        #expect(compacted.core.waitingNumbers == [2])
        #expect(compacted.core.outbox.nextNumber == last + 1)
    }

    @Test("A full queue drops its oldest events and keeps all answers")
    func fullQueue() throws {
        var host = try FleetHarness(messageLimit: 10)
        host.connect()
        host.appear()
        host.pass(3)
        host.pass(3)
        host.acknowledgeAll()
        host.input { core, _ in core.brokerDisconnected() }
        host.command(#"{"id": "a", "operation": "unsubscribe", "characteristicID": "2A37"}"#)
        host.command(#"{"id": "b", "operation": "subscribe", "characteristicID": "2A37"}"#)
        for byte in 0..<50 { host.value(UInt8(byte)) }
        #expect(host.core.outbox.messages.count == 10)
        #expect(host.core.outbox.messages.filter { $0.message.kind == .answer }.count == 2)
        #expect(host.core.waitingNumbers == (42..<50).map(Double.init))
        #expect(host.core.outbox.droppedCount == 42)
        // The journal agrees after a restart.
        #expect(try host.restarted().core.waitingNumbers == (42..<50).map(Double.init))
    }

    @Test("A change of state is published with its gap, and the availability with it")
    func states() throws {
        var host = try FleetHarness.holding()
        let ready = AccessoryChange(.ready, .usable, gap: .milliseconds(1_500))
        host.input { $0.changed("strap", ready, now: $1) }
        let messages = host.published.map(\.message)
        #expect(
            messages.map(\.topic) == [
                "lanyard/devices/strap/status", "lanyard/devices/strap/availability",
            ]
        )
        let status = try #require(try JSON(parsing: messages[0].payload).members)
        #expect(status["state"] == .string("ready"))
        #expect(status["gap"] == .number(1.5))
        #expect(messages[1].payload == "online")
        #expect(messages.allSatisfy { $0.isRetained })
    }

    @Test("Home Assistant's discovery message is published when the host takes the accessory")
    func discovery() throws {
        var host = try FleetHarness()
        host.connect()
        host.appear()
        host.pass(3)
        host.pass(3)
        let topic = "homeassistant/sensor/lanyard-strap/180D-2A37/config"
        let message = try #require(host.published.first { $0.message.topic == topic }?.message)
        let members = try #require(try JSON(parsing: message.payload).members)
        #expect(members["state_topic"] == .string("lanyard/devices/strap/events/180D/2A37"))
        #expect(members["unit_of_measurement"] == .string("bpm"))
        #expect(message.isRetained)
    }

    @Test("A host gives up an accessory that is not ready for a minute, and claims it again later")
    func absence() throws {
        var host = try FleetHarness.holding()
        host.pass(FleetCore.absenceLimit)
        #expect(host.take().contains(.release("strap")))
        #expect(host.core.tracked["strap"]?.lease.phase == .free)
        host.pass(1)
        #expect(host.core.tracked["strap"]?.lease.phase == .free)
        host.pass(FleetCore.restTime)
        #expect(host.core.tracked["strap"]?.lease.phase != .free)
    }
}
