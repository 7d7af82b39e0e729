// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

// The steps of procedures, and the order of long and reliable writes.
extension GATTClient {
    enum Input {
        case beginning
        case response(ATT.PDU)
        case failure(GATT.Failure)
    }

    mutating func begin(
        _ procedure: any GATT.Procedure,
        naming handle: AttributeHandle?,
        id: OperationID,
        on bearer: inout ATTBearer
    ) -> [Action] {
        running.append(Running(id: id, procedure: procedure, handle: handle))
        return advance(id, by: .beginning, on: &bearer)
    }

    /// Begins the next long or reliable write, unless one is in progress. If it fails immediately,
    /// the one after it begins.
    mutating func beginNextPreparedWrite(on bearer: inout ATTBearer) -> [Action] {
        var actions: [Action] = []
        while preparingWrites == nil, !waiting.isEmpty {
            let next = waiting.removeFirst()
            preparingWrites = next.id
            actions += begin(next.procedure, naming: next.handle, id: next.id, on: &bearer)
        }
        return actions
    }

    mutating func advance(
        _ id: OperationID,
        by input: Input,
        on bearer: inout ATTBearer
    ) -> [Action] {
        do throws(GATT.Failure) {
            switch try step(id, by: input, mtu: bearer.mtu) {
            case .send(let pdu): try submit(pdu, id: id, on: &bearer)
            case .complete(let outcome): return end(id, .success(outcome), on: &bearer)
            case nil: break
            }
            return []
        } catch {
            return end(id, .failure(error), on: &bearer)
        }
    }

    private mutating func step(
        _ id: OperationID,
        by input: Input,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep? {
        guard let index = index(of: id) else { return nil }
        return switch input {
        case .beginning: try running[index].procedure.begin(mtu: mtu)
        case .response(let response): try running[index].procedure.receive(response, mtu: mtu)
        case .failure(let failure): try running[index].procedure.receive(failure, mtu: mtu)
        }
    }

    private func submit(
        _ pdu: ATT.PDU,
        id: OperationID,
        on bearer: inout ATTBearer
    ) throws(GATT.Failure) {
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

    /// Ends an operation, and begins the next long or reliable write unless one is in progress.
    mutating func end(
        _ id: OperationID,
        _ result: Result<GATT.Outcome, GATT.Failure>,
        on bearer: inout ATTBearer
    ) -> [Action] {
        let actions = end(id, result)
        guard preparingWrites == nil, !waiting.isEmpty else { return actions }
        return actions + beginNextPreparedWrite(on: &bearer)
    }

    private mutating func end(
        _ id: OperationID,
        _ result: Result<GATT.Outcome, GATT.Failure>
    ) -> [Action] {
        guard let index = index(of: id) else { return [] }
        let ended = running.remove(at: index)
        if case .success(let outcome) = result { database.learn(from: outcome) }
        if mtuExchange == .running(id) { mtuExchange = .finished }
        if preparingWrites == id { preparingWrites = nil }
        return ended.isAbandoned ? [] : [.completed(id, result)]
    }

    /// Ends all operations, because the bearer has closed.
    ///
    /// - Parameter ids: The operations with a PDU in the bearer, in the bearer's order. The waiting
    ///   operations end after them.
    package mutating func end(_ ids: [OperationID], _ failure: GATT.Failure) -> [Action] {
        let late = waiting.map { Action.completed($0.id, .failure(failure)) }
        waiting = []
        return ids.flatMap { end($0, .failure(failure)) } + late
    }
}

extension GATT.Failure {
    /// Creates the failure for a PDU that the bearer rejected. Only the PDU of a write can be
    /// longer than the MTU. Its value follows three bytes: the opcode and the handle.
    init(_ error: ATTBearer.BearerError) {
        switch error {
        case .queueFull: self = .queueFull
        case .closed: self = .bearerClosed
        case .pduTooLong(let mtu): self = .valueTooLong(limit: mtu - 3)
        }
    }
}
