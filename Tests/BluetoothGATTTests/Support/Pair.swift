// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// A client and a server, connected in memory.
struct Pair {
    var client: DrivenClient
    var server: TableServer
    /// Every PDU that the client has sent.
    private(set) var sent: [[UInt8]] = []
    private var latestID: DrivenClient.OperationID = 0

    init(_ server: TableServer, receiveMTU: Int = 517) {
        client = DrivenClient(receiveMTULimit: receiveMTU)
        self.server = server
    }

    /// Performs one operation and returns its result.
    mutating func run(
        _ operation: GATT.Operation,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Result<GATT.Outcome, GATT.Failure> {
        latestID += 1
        let id = latestID
        let actions = try client.start(operation, id: id) + drive()
        let results = actions.compactMap { action -> Result<GATT.Outcome, GATT.Failure>? in
            guard case .completed(id, let result) = action else { return nil }
            return result
        }
        #expect(results.count == 1, "An operation ends once", sourceLocation: sourceLocation)
        return try #require(results.first, sourceLocation: sourceLocation)
    }

    /// Performs an operation that must succeed.
    mutating func succeed(
        _ operation: GATT.Operation,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> GATT.Outcome {
        try run(operation, sourceLocation: sourceLocation).get()
    }

    /// Passes PDUs in both directions until there are no more.
    mutating func drive() throws -> [DrivenClient.Action] {
        var actions: [DrivenClient.Action] = []
        while let outgoing = client.nextPDU(now: .zero) {
            sent.append(outgoing.bytes)
            actions += outgoing.actions
            if let answer = try server.answer(outgoing.bytes) {
                actions += client.receive(answer.encode()[...], now: .zero)
            }
        }
        return actions
    }
}

/// A client whose test supplies the PDUs of the server.
struct Script {
    var client = DrivenClient()

    /// Starts an operation, passes these PDUs as the responses to its requests, and returns all
    /// actions.
    mutating func play(
        _ operation: GATT.Operation,
        answers: [[UInt8]],
        id: DrivenClient.OperationID = 1
    ) -> [DrivenClient.Action] {
        var actions = client.start(operation, id: id)
        for answer in answers {
            actions += client.nextPDU(now: .zero)?.actions ?? []
            actions += client.receive(answer[...], now: .zero)
        }
        return actions
    }
}
