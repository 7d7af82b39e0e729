// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

// From step to step, and from one procedure to the next.
extension GATTClient {
    /// What a procedure hears.
    enum Input {
        case beginning
        case response(ATT.PDU)
        case failure(GATT.Failure)
    }

    mutating func begin(
        _ procedure: any Procedure,
        naming handle: AttributeHandle?,
        id: OperationID
    ) -> [Action] {
        running[id] = Running(procedure: procedure, handle: handle)
        return advance(id, on: .beginning)
    }

    /// Lets the next long or reliable write begin, unless one is under way. One that fails at once
    /// makes room for the next.
    mutating func beginNextPreparedWrite() -> [Action] {
        var actions: [Action] = []
        while preparingWrites == nil, !waiting.isEmpty {
            let next = waiting.removeFirst()
            preparingWrites = next.id
            actions += begin(next.procedure, naming: next.handle, id: next.id)
        }
        return actions
    }

    mutating func advance(_ id: OperationID, on input: Input) -> [Action] {
        do throws(GATT.Failure) {
            switch try step(id, on: input) {
            case .send(let pdu): try submit(pdu, id: id)
            case .complete(let outcome): return end(id, .success(outcome))
            case nil: break
            }
            return []
        } catch {
            return end(id, .failure(error))
        }
    }

    private mutating func step(
        _ id: OperationID,
        on input: Input
    ) throws(GATT.Failure) -> ProcedureStep? {
        let mtu = bearer.mtu
        switch input {
        case .beginning:
            return try running[id]?.procedure.begin(mtu: mtu)
        case .response(let response):
            return try running[id]?.procedure.receive(response, mtu: mtu)
        case .failure(let failure):
            return try running[id]?.procedure.receive(failure, mtu: mtu)
        }
    }

    private mutating func submit(_ pdu: ATT.PDU, id: OperationID) throws(GATT.Failure) {
        do throws(ATTBearer.BearerError) {
            if pdu.opcode.isCommand {
                try bearer.command(pdu, id: id)
            } else {
                try bearer.request(pdu, id: id)
            }
        } catch {
            throw GATT.Failure(error)
        }
    }

    /// Lets go of a procedure, tells its caller, and begins what has waited for it.
    mutating func end(
        _ id: OperationID,
        _ result: Result<GATT.Outcome, GATT.Failure>
    ) -> [Action] {
        guard let ended = running.removeValue(forKey: id) else { return [] }
        if case .success(let outcome) = result { database.learn(from: outcome) }
        if mtuExchange == .running(id) { mtuExchange = .finished }
        let told: [Action] = ended.isAbandoned ? [] : [.completed(id, result)]
        guard preparingWrites == id else { return told }
        preparingWrites = nil
        return told + beginNextPreparedWrite()
    }

    /// Ends all procedures: those that the closed bearer had something of, and those that wait.
    /// What it had of the server's is told in the same way.
    mutating func endAll(_ ids: [OperationID], _ failure: GATT.Failure) -> [Action] {
        let late = waiting.map { Action.completed($0.id, .failure(failure)) }
        waiting = []
        return ids.flatMap { id -> [Action] in
            guard running[id] == nil else { return end(id, .failure(failure)) }
            return [.completed(id, .failure(failure))]
        } + late
    }
}

extension GATT.Failure {
    /// Why the bearer did not take a PDU. The forms that procedures send fit into any MTU but for
    /// the value of a write, which has three octets before it.
    init(_ error: ATTBearer.BearerError) {
        switch error {
        case .queueFull: self = .queueFull
        case .closed: self = .bearerClosed
        case .pduTooLong(let mtu): self = .valueTooLong(limit: mtu - 3)
        }
    }
}
