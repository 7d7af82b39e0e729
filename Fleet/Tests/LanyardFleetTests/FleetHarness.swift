// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard
import Testing

@testable import LanyardFleet

/// A description of one accessory with a characteristic of each role.
let strapFile = """
    {"accessories": [{"id": "strap", "name": "Strap", "match": {"service": "180D"},
      "characteristics": [
        {"service": "180D", "uuid": "2A37", "roles": ["subscribe"],
         "sensor": {"name": "Rate", "format": "uint8", "offset": 1, "unit": "bpm"}},
        {"service": "180D", "uuid": "2A38", "roles": ["read"]},
        {"service": "180D", "uuid": "2A39", "roles": ["write"]}]}]}
    """
let rate = CharacteristicPath("180D", "2A37")
let location = CharacteristicPath("180D", "2A38")

/// The core of a fleet's host, the records of its journal, and the time of a test.
struct FleetHarness {
    var core: FleetCore
    var journal: [JournalRecord] = []
    /// The actions since the last call of `take`.
    var actions: [FleetAction] = []
    var seconds = 1_000.0

    var now: ClockReading { ClockReading(seconds: seconds, timestamp: 1_700_000_000 + seconds) }

    init(host: String = "hall", messageLimit: Int = Outbox.messageLimit) throws {
        core = FleetCore(
            topics: FleetTopics(prefix: "lanyard", host: host),
            description: try FleetDescription(parsing: strapFile),
            messageLimit: messageLimit
        )
    }

    /// Returns a host that has restarted with the same journal.
    func restarted() throws -> FleetHarness {
        var next = try FleetHarness(host: core.topics.host)
        next.seconds = seconds
        next.journal = journal
        next.input { core, now in core.restore(journal, now: now) }
        return next
    }

    /// Returns a connected host that holds the lease of the accessory.
    static func holding() throws -> FleetHarness {
        var harness = try FleetHarness()
        harness.connect()
        harness.appear()
        harness.pass(3)
        harness.pass(3)
        #expect(harness.core.tracked["strap"]?.lease.isHeld == true)
        harness.acknowledgeAll()
        _ = harness.take()
        return harness
    }

    mutating func input(_ input: (inout FleetCore, ClockReading) -> Void) {
        input(&core, now)
        for action in core.takeActions() {
            if case .persist(let record) = action { journal.append(record) }
            actions.append(action)
        }
    }

    mutating func take() -> [FleetAction] {
        defer { actions = [] }
        return actions
    }

    /// The messages that were published since the last call of `take`, with their numbers.
    var published: [(message: FleetMessage, number: UInt64?)] {
        actions.compactMap { action in
            if case .publish(let message, let number) = action { (message, number) } else { nil }
        }
    }

    mutating func connect() { input { $0.brokerConnected(now: $1) } }
    mutating func appear() {
        input { $0.presenceChanged("strap", rssi: -40, isPresent: true, now: $1) }
    }
    mutating func pass(_ seconds: Double) {
        self.seconds += seconds
        input { $0.tick(now: $1) }
    }
    mutating func value(_ byte: UInt8) {
        input { $0.valueReceived("strap", rate, Data([0, byte]), now: $1) }
    }
    mutating func command(_ text: String, _ change: (inout ReceivedMessage) -> Void = { _ in }) {
        var message = ReceivedMessage(
            topic: "lanyard/devices/strap/commands",
            payload: Array(text.utf8)
        )
        change(&message)
        input { $0.received(message, now: $1) }
    }

    /// Acknowledges all published messages until none is left.
    mutating func acknowledgeAll() {
        var done = 0
        while done < actions.count {
            if case .publish(_, let number?) = actions[done] {
                input { core, _ in core.acknowledged(number) }
            }
            done += 1
        }
    }

    /// Returns the answers that were published since the last call of `take`.
    func answers() throws -> [[String: JSON]] {
        try published.filter { $0.message.topic.contains("answers") }.map {
            try #require(try JSON(parsing: $0.message.payload).members)
        }
    }
}

extension FleetCore {
    /// The values that wait in the outbox.
    var waitingNumbers: [Double] {
        outbox.messages.compactMap { entry in
            (try? JSON(parsing: entry.message.payload))?.members?["number"]?.double
        }
    }
}

/// A random number generator with a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns the seeds of a run: that of `LANYARD_SEED`, or a new one, and those after it.
    static func seeds(_ count: UInt64) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["LANYARD_SEEDS"].flatMap { UInt64($0) } ?? count
        return (0..<count).map { first &+ $0 }
    }

    private static let first: UInt64 = {
        let given = ProcessInfo.processInfo.environment["LANYARD_SEED"].flatMap { UInt64($0) }
        let seed = given ?? .random(in: 0..<1_000_000)
        print("LANYARD_SEED=\(seed)")
        return seed
    }()
}
