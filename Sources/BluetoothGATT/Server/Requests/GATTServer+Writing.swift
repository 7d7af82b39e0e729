// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// Executes a write of a complete value, with a response (Vol 3, Part F, 3.4.5.1 and 3.4.5.2).
    mutating func write(
        _ request: ATT.WriteRequest,
        on bearer: BearerID,
        now: Instant
    ) -> [Action] {
        let entry = GATT.WriteEntry(handle: request.handle, value: Array(request.value))
        return write([entry], for: ATT.WriteRequest.opcode, on: bearer, now: now)
    }

    /// Executes a write of a complete value if it is permitted, without a response (Vol 3, Part F,
    /// 3.4.5.3).
    mutating func write(_ command: ATT.WriteCommand, by client: ClientID) -> [Action] {
        let entry = GATT.WriteEntry(handle: command.handle, value: Array(command.value))
        return write(entry, for: ATT.WriteCommand.opcode, .write, by: client)
    }

    /// Executes a write of a complete value if the signature is valid, without a response (Vol 3,
    /// Part F, 3.4.5.4).
    mutating func write(_ command: ATT.SignedWriteCommand, on bearer: BearerID) -> [Action] {
        var actions: [Action] = []
        guard acceptSignature(of: command, on: bearer, into: &actions) else {
            return actions
        }
        let entry = GATT.WriteEntry(handle: command.handle, value: Array(command.value))
        let opcode = ATT.SignedWriteCommand.opcode
        return actions + write(entry, for: opcode, .signedWrite, by: bearer.client)
    }

    private mutating func write(
        _ entry: GATT.WriteEntry,
        for opcode: ATT.Opcode,
        _ access: Access,
        by client: ClientID
    ) -> [Action] {
        guard let plan = try? plan([entry], for: opcode, access, by: client) else { return [] }
        guard plan.asked.isEmpty else {
            let question = Question.write(client, plan.asked, needsAnswer: false)
            return [.ask(takeRequestID(), question)]
        }
        var actions: [Action] = []
        apply(plan, by: client, into: &actions)
        return actions
    }
}

extension GATTServer {
    /// Writes all entries, or none if one of them cannot be written.
    mutating func write(
        _ entries: [GATT.WriteEntry],
        for opcode: ATT.Opcode,
        on bearer: BearerID,
        now: Instant
    ) -> [Action] {
        do throws(RequestRefusal) {
            let plan = try plan(entries, for: opcode, .write, by: bearer.client)
            guard let first = plan.asked.first else { return execute(plan, on: bearer) }
            let waiting = PendingRequest(
                id: takeRequestID(),
                handle: first.handle,
                deadline: now + Self.questionLimit,
                work: .write(plan)
            )
            pending[bearer] = waiting
            return [.ask(waiting.id, .write(bearer.client, plan.asked, needsAnswer: true))]
        } catch {
            return [.respond(bearer, error.response(to: opcode))]
        }
    }

    /// Executes a plan after all checks. The response comes first, so that it precedes PDUs with
    /// which the application reacts to the write.
    mutating func execute(_ plan: WritePlan, on bearer: BearerID) -> [Action] {
        let response: ATT.PDU =
            plan.opcode == .executeWriteRequest ? .executeWriteResponse : .writeResponse
        var actions: [Action] = []
        // Usually the response and the report of the values.
        actions.reserveCapacity(2)
        actions.append(.respond(bearer, response))
        apply(plan, by: bearer.client, into: &actions)
        return actions
    }

    /// Writes the values of a plan. Skips attributes that were unpublished while the application
    /// decided, even if attributes of other types have their handles now.
    private mutating func apply(
        _ plan: WritePlan,
        by client: ClientID,
        into actions: inout [Action]
    ) {
        guard !plan.values.isEmpty else { return }
        let isStored = { (entry: GATT.WriteEntry) in
            guard let attribute = database.attribute(entry.handle), attribute.isStored else {
                return false
            }
            return plan.values.contains {
                $0.handle == entry.handle && $0.type == attribute.type
            }
        }
        let stored =
            plan.entries.allSatisfy(isStored) ? plan.entries : plan.entries.filter(isStored)
        if !stored.isEmpty { actions.append(.report(client, .written(stored))) }
        for value in plan.values {
            guard let attribute = database.attribute(value.handle), attribute.type == value.type
            else { continue }
            actions += write(value.bytes, to: attribute, by: client)
        }
    }

    /// Performs all checks that are possible before the execution.
    private func plan(
        _ entries: [GATT.WriteEntry],
        for opcode: ATT.Opcode,
        _ access: Access,
        by client: ClientID
    ) throws(RequestRefusal) -> WritePlan {
        var plan = WritePlan(for: opcode, entries)
        for entry in entries {
            let attribute = try writable(entry.handle, access, by: client)
            if let current = value(of: attribute, for: client) {
                try plan.store(entry, in: attribute, current: current)
            } else {
                try plan.ask(entry)
            }
        }
        for value in plan.values {
            guard let attribute = database.attribute(value.handle) else { continue }
            if let code = refusal(ofWriting: value.bytes, to: attribute, by: client) {
                throw RequestRefusal(code, value.handle)
            }
        }
        return plan
    }

    /// Returns the attribute if the client may write it now.
    func writable(
        _ handle: AttributeHandle,
        _ access: Access,
        by client: ClientID
    ) throws(RequestRefusal) -> Attribute {
        guard let attribute = database.attribute(handle) else {
            throw RequestRefusal(.invalidHandle, handle)
        }
        if let code = refusal(of: access, to: attribute, by: client) {
            throw RequestRefusal(code, handle)
        }
        return attribute
    }
}

extension Attribute {
    /// Whether the database contains a value that clients may change.
    fileprivate var isStored: Bool {
        if case .stored = value { true } else { false }
    }
}
