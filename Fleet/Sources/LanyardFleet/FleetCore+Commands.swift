// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard

extension FleetCore {
    mutating func receiveCommand(_ message: ReceivedMessage, for id: String, now: ClockReading) {
        guard let tracked = tracked[id] else {
            actions.append(.log("A command for an unknown accessory was ignored."))
            return
        }
        // A retained command would be executed again after every connection to the broker.
        guard !message.isRetained else {
            actions.append(.log("A retained command for \(id) was ignored."))
            return
        }
        // The host that holds the lease answers. If the last holder has forgotten the accessory, it
        // answers until another host claims the accessory.
        guard tracked.lease.isHeld || tracked.isForgotten && tracked.lease.isLatestClaimant else {
            return receiveUnanswered(message, for: tracked.accessory)
        }
        let route = AcceptedCommand(
            key: .init(accessory: id, id: FleetCommand.id(in: message.payload) ?? ""),
            topic: message.responseTopic.flatMap { topics.isResponse($0) ? $0 : nil }
                ?? topics.answers(id),
            correlation: message.correlation
        )
        do throws(FleetProblem) {
            let command = try FleetCommand(parsing: message.payload, for: tracked.accessory)
            try accept(command, route, expiry: message.expiry, now: now)
        } catch {
            answer(route, .failure(error), now, kind: .event)
        }
    }

    /// Receives a command that this host does not answer. After `connect`, this host may claim the
    /// accessory again.
    private mutating func receiveUnanswered(
        _ message: ReceivedMessage,
        for accessory: FleetAccessory
    ) {
        let command = try? FleetCommand(parsing: message.payload, for: accessory)
        if command?.operation == .connect { allowClaims(of: accessory.id) }
    }

    private mutating func allowClaims(of id: String) {
        guard tracked[id]?.isForgotten == true else { return }
        _ = update(id) { tracked in
            tracked.isForgotten = false
            tracked.restUntil = 0
        }
    }

    private mutating func accept(
        _ command: FleetCommand,
        _ accepted: AcceptedCommand,
        expiry: Double?,
        now: ClockReading
    ) throws(FleetProblem) {
        let key = accepted.key
        guard commands[key] == nil else { throw .repeated }
        guard !answered.contains(key) else { throw .alreadyAnswered }
        guard commands.count < Self.commandLimit else { throw .busy }
        let limits = [expiry, command.expiry].compactMap(\.self)
        let time = min(limits.min() ?? FleetCommand.defaultExpiry, FleetCommand.expiryLimit)
        guard time > 0 else { throw .expired }
        if tracked[key.accessory]?.isForgotten == true, command.operation != .connect {
            throw .forgotten
        }
        commands[key] = (accepted, now.seconds + time)
        actions.append(.persist(.accepted(accepted)))
        execute(command.operation, key, now: now)
    }

    private mutating func execute(
        _ operation: FleetCommand.Operation,
        _ key: AcceptedCommand.Key,
        now: ClockReading
    ) {
        let id = key.accessory
        switch operation {
        case .subscribe(let path):
            let isNew = update(id) { $0.enabled.insert(path).inserted } ?? false
            finish(key, isNew ? .success(nil) : .failure(.alreadyEnabled), now)
        case .unsubscribe(let path):
            let wasEnabled = update(id) { $0.enabled.remove(path) != nil } ?? false
            finish(key, wasEnabled ? .success(nil) : .failure(.notEnabled), now)
        case .connect where tracked[id]?.isForgotten == true:
            allowClaims(of: id)
            finish(key, .success(nil), now)
        case .connect, .disconnect:
            _ = update(id) { tracked in
                tracked.isDisconnectedByCommand = operation == .disconnect
                tracked.absentSince = now.seconds
            }
            actions.append(.perform(key, operation))
        case .read, .write, .forget: actions.append(.perform(key, operation))
        }
    }

    /// Receives the result of a command.
    mutating func finished(
        _ key: AcceptedCommand.Key,
        _ operation: FleetCommand.Operation,
        _ result: Result<Data?, FleetProblem>,
        now: ClockReading
    ) {
        guard commands[key] != nil else { return }
        finish(key, result, now)
        if operation == .forget, case .success = result {
            _ = update(key.accessory) { $0.isForgotten = true }
            release(key.accessory, now: now)
        }
    }

    /// Answers a command that was accepted.
    mutating func finish(
        _ key: AcceptedCommand.Key,
        _ result: Result<Data?, FleetProblem>,
        _ now: ClockReading
    ) {
        guard let (command, _) = commands.removeValue(forKey: key) else { return }
        answer(command, result, now, kind: .answer)
        actions.append(.persist(.answered(key)))
        remember(key)
    }

    private mutating func remember(_ key: AcceptedCommand.Key) {
        answered.append(key)
        if answered.count > Self.answeredLimit { answered.removeFirst() }
    }

    private mutating func answer(
        _ command: AcceptedCommand,
        _ result: Result<Data?, FleetProblem>,
        _ now: ClockReading,
        kind: FleetMessage.Kind
    ) {
        var value: Data?
        var problem: FleetProblem?
        switch result {
        case .success(let data): value = data
        case .failure(let failure): problem = failure
        }
        let status = problem?.status ?? 200
        measure(.answered(status: status))
        let payload = JSON.compacting([
            "id": command.key.id.isEmpty ? nil : .string(command.key.id),
            "deviceID": .string(command.key.accessory),
            "timestamp": .number(now.timestamp),
            "status": .integer(status),
            "value": value.map { .string($0.base64EncodedString()) },
            "type": problem.map { .string($0.uri) },
            "title": problem.map { .string($0.title) },
            "detail": problem.map { .string($0.detail) },
            "host": .string(topics.host),
            "sequence": .integer(Int(outbox.nextNumber)),
        ])
        enqueue(
            FleetMessage(
                kind: kind,
                topic: command.topic,
                payload: payload.compact,
                correlation: command.correlation
            )
        )
    }

    mutating func expireCommands(now: ClockReading) {
        for (key, entry) in commands where now.seconds >= entry.deadline {
            actions.append(.cancel(key))
            finish(key, .failure(.expired), now)
        }
    }

    // MARK: The journal

    /// Continues with the records of the journal. Answers commands that were under way with the
    /// problem `interrupted`.
    mutating func restore(_ records: [JournalRecord], now: ClockReading) {
        var open: [AcceptedCommand] = []
        for record in records {
            switch record {
            case .message(let number, let message): outbox.restore(message, number: number)
            case .finished(let number): _ = outbox.acknowledge(number)
            case .accepted(let command): open.append(command)
            case .answered(let key):
                open.removeAll { $0.key == key }
                remember(key)
            case .next(let number): outbox.advance(to: number)
            }
        }
        for command in open {
            commands[command.key] = (command, now.seconds)
            finish(command.key, .failure(.interrupted), now)
        }
    }

    /// The records of the present state, which replace the journal when it is rewritten.
    var journal: [JournalRecord] {
        [.next(outbox.nextNumber)] + answered.map { .answered($0) }
            + commands.values.map { .accepted($0.command) }
            + outbox.messages.map { .message($0.number, $0.message) }
    }
}
