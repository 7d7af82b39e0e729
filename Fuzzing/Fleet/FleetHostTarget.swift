// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

@testable import FleetMessages

/// Gives a host of a fleet the messages of a broker and of its other clients, events of an
/// accessory and of radios, and restarts. Each accepted command is answered once, and all queues
/// stay bounded.
func fuzzFleetHost(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    guard var host = FuzzedFleetHost() else { fatalError("the description is refused") }
    while !input.isAtEnd {
        host.step(&input)
        host.check()
    }
    host.finish()
}

private let strap = "strap"
private let topics = [
    "lanyard/devices/strap/commands", "lanyard/leases/strap", "lanyard/devices/other/commands",
    "lanyard/leases/", "lanyard/leases/strap/x", "lanyard/devices//commands", "",
]
private let operations = [
    "connect", "disconnect", "read", "write", "subscribe", "unsubscribe", "forget", "explode",
]
private let responses = [
    "lanyard/answers/app", "lanyard/leases/strap", "lanyard/answers/#",
    "lanyard/answers/" + String(repeating: "x", count: 300),
]
private let states: [AccessoryState] = [.ready, .connecting, .outOfRange, .idle, .poweredOff]

/// The core of a host, its journal, and the messages that it has sent.
private struct FuzzedFleetHost {
    var core: FleetCore
    var journal: [JournalRecord] = []
    /// The requests to the accessory that have no result yet.
    var requests: [(key: AcceptedCommand.Key, operation: FleetCommand.Operation)] = []
    /// The messages that the broker has not acknowledged.
    var unacknowledged: [UInt64] = []
    var isConnected = false
    var seconds = 1_000.0
    /// The accepted commands without an answer.
    var open: Set<AcceptedCommand.Key> = []

    var now: ClockReading { ClockReading(seconds: seconds, timestamp: 1_700_000_000 + seconds) }

    init?() {
        guard let core = Self.makeCore() else { return nil }
        self.core = core
    }

    static func makeCore() -> FleetCore? {
        guard let description = try? FleetDescription(parsing: fuzzedFleet) else { return nil }
        return FleetCore(
            topics: FleetTopics(prefix: "lanyard", host: "hall"),
            description: description,
            messageLimit: 64
        )
    }

    mutating func step(_ input: inout FuzzInput) {
        switch input.number(below: 16) {
        case 0: setConnected(!isConnected)
        case 1, 2: pass(Double(input.byte()) / 4)
        case 3...6: receive(command(&input))
        case 7: receive(lease(&input))
        case 8:
            let topic = input.pick(topics) ?? ""
            receive(ReceivedMessage(topic: topic, payload: input.bytes()))
        case 9:
            let isPresent = input.flag()
            perform { $0.presenceChanged(strap, rssi: -40, isPresent: isPresent, now: $1) }
        case 10:
            let state = input.pick(states) ?? .idle
            perform { $0.changed(strap, AccessoryChange(state, .usable), now: $1) }
        case 11:
            let value = Data(input.bytes())
            perform { $0.valueReceived(strap, CharacteristicPath("180D", "2A37"), value, now: $1) }
        case 12:
            complete(input.number(below: 4), input.flag() ? .success(Data([1])) : .failure(.busy))
        case 13:
            guard !unacknowledged.isEmpty else { return }
            let number = unacknowledged.remove(at: input.number(below: unacknowledged.count))
            perform { core, _ in core.acknowledged(number) }
        case 14: restart()
        default:
            let radio = FleetRadio(name: "hci0", isUsable: input.flag(), linkCount: 1)
            perform { core, _ in core.radiosReported([radio]) }
        }
    }

    private func command(_ input: inout FuzzInput) -> ReceivedMessage {
        let id = input.number(below: 80)
        let operation = input.pick(operations) ?? ""
        let characteristic = input.pick(["2A37", "2A38", "2A39", "2A00"]) ?? ""
        let options = input.byte()
        let expiry = options & 1 == 0 ? "" : ", \"expiry\": \(options >> 4)"
        let value = operation == "write" ? ", \"value\": \"AQ==\"" : ""
        let target =
            ["read", "write", "subscribe", "unsubscribe"].contains(operation)
            ? ", \"characteristicID\": \"\(characteristic)\"" : ""
        let text = "{\"id\": \"c\(id)\", \"operation\": \"\(operation)\"\(target)\(value)\(expiry)}"
        return ReceivedMessage(
            topic: topics[0],
            payload: Array(text.utf8),
            isRetained: options & 2 != 0 && options & 12 == 0,
            expiry: options & 4 != 0 ? Double(options >> 5) : nil,
            responseTopic: options & 8 != 0 ? input.pick(responses) : nil,
            correlation: options & 16 != 0 ? [options] : nil
        )
    }

    private func lease(_ input: inout FuzzInput) -> ReceivedMessage {
        let host = input.pick(["hall", "attic", "zoo"]) ?? ""
        let epoch = input.pick([0, 1, 2, 3, 9, LeaseClaim.epochLimit]) ?? 0
        let payload = input.flag() ? LeaseClaim(epoch: epoch, host: host).payload : ""
        return ReceivedMessage(topic: topics[1], payload: Array(payload.utf8), isRetained: true)
    }

    // MARK: Inputs

    private mutating func receive(_ message: ReceivedMessage) {
        perform { $0.received(message, now: $1) }
    }

    private mutating func pass(_ seconds: Double) {
        self.seconds += seconds
        perform { $0.tick(now: $1) }
    }

    private mutating func setConnected(_ isConnected: Bool) {
        self.isConnected = isConnected
        perform { core, now in
            if isConnected { core.brokerConnected(now: now) } else { core.brokerDisconnected() }
        }
    }

    private mutating func complete(_ number: Int, _ result: Result<Data?, FleetProblem>) {
        guard requests.indices.contains(number) else { return }
        let (key, operation) = requests.remove(at: number)
        perform { $0.finished(key, operation, result, now: $1) }
    }

    private mutating func restart() {
        guard let next = Self.makeCore() else { return }
        let records = Journal.read(journal.flatMap(Journal.encode)).records
        require(records == journal, "the journal cannot be read")
        core = next
        (requests, unacknowledged, isConnected) = ([], [], false)
        // A restored record is in the journal already.
        perform { $0.restore(records, now: $1) }
        journal = core.journal
    }

    // MARK: Actions

    private mutating func perform(_ body: (inout FleetCore, ClockReading) -> Void) {
        body(&core, now)
        for action in core.takeActions() {
            switch action {
            case .persist(let record): persist(record)
            case .publish(let message, let number):
                check(message)
                if let number { unacknowledged.append(number) }
            case .perform(let key, let operation):
                require(open.contains(key), "a command that is not on the disk is executed")
                requests.append((key, operation))
            case .cancel(let key): requests.removeAll { $0.key == key }
            case .log(let line): require(line.utf8.count < 512, "a long line in the log")
            case .take, .release, .measure: break
            }
        }
    }

    private mutating func persist(_ record: JournalRecord) {
        journal.append(record)
        switch record {
        case .accepted(let command):
            require(open.insert(command.key).inserted, "accepted twice")
        case .answered(let key): require(open.remove(key) != nil, "answered twice")
        case .message, .finished, .next: break
        }
    }

    private func check(_ message: FleetMessage) {
        require(message.size < 8_192, "a long message")
        let isKnown =
            message.topic.hasPrefix("lanyard/devices/strap/")
            || message.topic.hasPrefix("lanyard/hosts/hall/")
            || message.topic.hasPrefix("homeassistant/sensor/lanyard-strap/")
            || message.topic == "lanyard/leases/strap" || message.topic == responses[0]
        require(isKnown, "a message to \(message.topic)")
    }

    func check() {
        require(core.commands.count <= FleetCore.commandLimit, "too many commands")
        require(core.answered.count <= FleetCore.answeredLimit, "too many answered commands")
        let events = core.outbox.messages.count { $0.message.kind == .event }
        require(events <= core.outbox.messageLimit + Outbox.inFlightLimit, "too many events")
        require(core.outbox.inFlightCount <= Outbox.inFlightLimit, "too many messages in flight")
        require(Set(core.commands.keys) == open, "the journal has other commands")
    }

    /// Ends the host. Every command is answered.
    mutating func finish() {
        pass(FleetCommand.expiryLimit)
        check()
        require(core.commands.isEmpty && open.isEmpty, "a command without an answer")
        perform { $0.shutDown(now: $1) }
        require(core.tracked.values.allSatisfy { !$0.lease.isHeld }, "a lease is left")
        perform { core, _ in core.publishEnd() }
    }
}
