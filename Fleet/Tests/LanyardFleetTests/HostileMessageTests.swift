// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard
import Testing

@testable import LanyardFleet

/// Tests with hostile messages of a broker, or of its other clients. The process prints its first
/// seed (`LANYARD_SEED`).
struct HostileMessageTests {
    /// Messages from which the random ones are made.
    static let samples = [
        CommandTests.read, #"{"host":"hall","epoch":1}"#, #"{"host":"a","epoch":4503599627370496}"#,
        #"{"host":"hall","epoch":4503599627370496}"#,
        #"{"id":"w","operation":"write","characteristicID":"2A39","value":"AAE=","expiry":1}"#,
        #"{"id":"f","operation":"forget"}"#, #"{"id":"d","operation":"disconnect"}"#,
        #"{"id":"s","operation":"subscribe","serviceID":"180D","characteristicID":"2A37"}"#,
    ]
    static let topics = [
        "lanyard/devices/strap/commands", "lanyard/leases/strap", "lanyard/leases/",
        "lanyard/devices//commands", "lanyard/devices/strap/commands/x", "lanyard/", "", "/",
        "lanyard/leases/x/y", "LANYARD/leases/strap", "lanyard/devices/\u{0}/commands",
    ]

    private func payload(_ generator: inout SeededGenerator) -> [UInt8] {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return []
        case 1:
            let length = Int.random(in: 1...200, using: &generator)
            return (0..<length).map { _ in .random(in: 0...255, using: &generator) }
        case 2: return Array(repeating: UInt8(ascii: "["), count: 65_536)
        case 3:
            let id = String(repeating: "9", count: Int.random(in: 1...70_000, using: &generator))
            return Array(#"{"id": "\#(id)", "operation": "read"}"#.utf8)
        case 4: return Array(#"{"host":"hall","epoch":1e309}"#.utf8)
        default:
            var bytes = Array(Self.samples.randomElement(using: &generator)?.utf8 ?? "".utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = .random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(.random(in: 0...255, using: &generator), at: index)
                }
            }
            return bytes
        }
    }

    private func message(_ generator: inout SeededGenerator) -> ReceivedMessage {
        let responses = [
            "lanyard/answers/a", "lanyard/leases/strap", "lanyard/answers/#",
            String(repeating: "x", count: 70_000),
        ]
        let expiries: [Double?] = [nil, 0, 2, Double(UInt32.max)]
        return ReceivedMessage(
            topic: Self.topics.randomElement(using: &generator) ?? "",
            payload: payload(&generator),
            isRetained: Int.random(in: 0..<8, using: &generator) == 0,
            expiry: expiries.randomElement(using: &generator) ?? nil,
            responseTopic: Bool.random(using: &generator)
                ? responses.randomElement(using: &generator) : nil,
            correlation: Bool.random(using: &generator) ? Array(repeating: 7, count: 512) : nil
        )
    }

    @Test(
        "After any messages, the state is bounded, and answers go only to their topics",
        arguments: SeededGenerator.seeds(8)
    )
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var host = try FleetHarness.holding()
        for _ in 0..<500 {
            let message = message(&generator)
            host.input { $0.received(message, now: $1) }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                host.pass(Double.random(in: 0...8, using: &generator))
            }
            for (published, _) in host.published {
                #expect(published.size < 4_096)
                let isKnown =
                    published.topic.hasPrefix("lanyard/devices/strap/")
                    || published.topic.hasPrefix("homeassistant/sensor/lanyard-strap/")
                    || published.topic == "lanyard/leases/strap"
                    || published.topic == "lanyard/answers/a"
                #expect(isKnown, "\(published.topic)")
            }
            for case .log(let line) in host.actions { #expect(line.utf8.count < 512) }
            host.acknowledgeAll()
            _ = host.take()
            #expect(host.core.commands.count <= FleetCore.commandLimit)
            #expect(host.core.answered.count <= FleetCore.answeredLimit)
            #expect(host.core.outbox.messages.count <= Outbox.messageLimit)
        }
        // Every record of the journal can be read again.
        for record in host.journal {
            let bytes = Journal.encode(record)
            #expect(bytes.count <= Journal.recordLimit)
            #expect(Journal.read(bytes).records == [record])
        }
        // The host still works.
        host.pass(FleetCore.absenceLimit + FleetCore.restTime)
        host.command(#"{"id": "again", "operation": "connect"}"#)
        host.pass(Lease.duration + 1)
        for _ in 0..<8 { host.pass(3) }
        #expect(host.core.tracked["strap"]?.lease.isHeld == true)
    }

    @Test(
        "Commands that are sent again, in any order and with restarts, are executed once each",
        arguments: SeededGenerator.seeds(8)
    )
    func replay(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var host = try FleetHarness.holding()
        var executed: [AcceptedCommand.Key: Int] = [:]
        let commands = (0..<200).map {
            #"{"id": "c\#($0)", "operation": "read", "characteristicID": "2A38"}"#
        }
        for _ in 0..<1_000 {
            host.command(commands.randomElement(using: &generator) ?? "")
            let actions = host.take()
            for case .perform(let key, let operation) in actions {
                executed[key, default: 0] += 1
                guard Bool.random(using: &generator) else { continue }
                host.input { core, now in
                    core.finished(key, operation, .success(Data([1])), now: now)
                }
            }
            host.pass(Double.random(in: 0...2, using: &generator))
            host.input { $0.changed("strap", .init(.ready, .usable), now: $1) }
            host.acknowledgeAll()
            if Int.random(in: 0..<100, using: &generator) == 0 {
                host = try host.restarted()
                host.connect()
                host.appear()
                host.pass(3)
                host.pass(3)
                host.acknowledgeAll()
            }
            _ = host.take()
        }
        #expect(executed.count > 100)
        #expect(executed.values.allSatisfy { $0 == 1 })
    }
}
