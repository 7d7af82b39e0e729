// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// Processing of all requests and commands.
//
// The checks of a request always have the same order: the client's change awareness, the range or
// handle, the permissions, and the value. The request is executed after these checks. A request
// that needs an answer of the application waits in `pending` and continues after the answer.

extension GATTServer {
    /// Processes a request or command that a client's bearer has received.
    ///
    /// A request results in one `respond`: immediately, or when the application answers or its time
    /// expires. A request that arrives before the response to the previous one violates the
    /// protocol. It results in `violated` and gets no response. Commands have no response.
    package mutating func receive(
        _ request: ATT.PDU,
        on bearer: BearerID,
        now: Instant
    ) -> [Action] {
        guard let index = clients.index(of: bearer.client),
            clients.records[index].bearers[bearer.channel] != nil
        else {
            return request.opcode.isCommand ? [] : refuse(request, .unlikelyError, on: bearer)
        }
        // This check comes before the one of change awareness. Otherwise the request, which gets no
        // response, could make the client change-aware.
        if !request.opcode.isCommand, pending[bearer] != nil {
            return [.violated(bearer.client, "a request before the response to the previous one")]
        }
        var actions: [Action] = []
        let refusal = outOfSyncRefusal(of: request, on: bearer, into: &actions)
        if request.opcode.isCommand {
            return refusal == nil ? actions + execute(command: request, on: bearer) : actions
        }
        if let refusal { return actions + refuse(request, refusal, on: bearer) }
        let executed = execute(request, on: bearer, now: now)
        return actions.isEmpty ? executed : actions + executed
    }

    private mutating func execute(
        _ request: ATT.PDU,
        on bearer: BearerID,
        now: Instant
    ) -> [Action] {
        switch request {
        case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest,
            .readByTypeRequest, .findByTypeValueRequest:
            read(request, on: bearer, now: now)
        case .findInformationRequest(let request):
            [.respond(bearer, findInformation(request, mtu: mtu(of: bearer)))]
        case .readByGroupTypeRequest(let request):
            [.respond(bearer, readByGroupType(request, mtu: mtu(of: bearer)))]
        case .writeRequest(let request): write(request, on: bearer, now: now)
        case .prepareWriteRequest(let request): [.respond(bearer, prepare(request, on: bearer))]
        case .executeWriteRequest(let request): execute(request, on: bearer, now: now)
        default: refuse(request, .requestNotSupported, on: bearer)
        }
    }

    private mutating func execute(command: ATT.PDU, on bearer: BearerID) -> [Action] {
        switch command {
        case .writeCommand(let command): write(command, by: bearer.client)
        case .signedWriteCommand(let command): write(command, on: bearer)
        default: []
        }
    }

    private func refuse(
        _ request: ATT.PDU,
        _ code: ATT.ErrorCode,
        on bearer: BearerID
    ) -> [Action] {
        [.respond(bearer, RequestRefusal(code, request.namedHandle).response(to: request.opcode))]
    }

    func mtu(of bearer: BearerID) -> Int {
        clients[bearer.client]?.bearers[bearer.channel] ?? ATT.defaultMTU
    }
}
