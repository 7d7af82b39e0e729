// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// A client and a server that are joined in memory.
struct Pair {
    var client: GATTClient
    var server: TableServer
    /// Every PDU that the client has sent.
    private(set) var sent: [[UInt8]] = []
    private var latestID: GATTClient.OperationID = 0

    init(_ server: TableServer, receiveMTU: Int = 517) {
        client = GATTClient(receiveMTULimit: receiveMTU)
        self.server = server
    }

    /// Carries one operation out and returns how it ended.
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
        #expect(results.count == 1, "an operation ends once", sourceLocation: sourceLocation)
        return try #require(results.first, sourceLocation: sourceLocation)
    }

    /// Carries out an operation that ends well.
    mutating func succeed(
        _ operation: GATT.Operation,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> GATT.Outcome {
        try run(operation, sourceLocation: sourceLocation).get()
    }

    /// Passes PDUs to and fro until there are no more.
    mutating func drive() throws -> [GATTClient.Action] {
        var actions: [GATTClient.Action] = []
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

/// A client whose server is played by the test, PDU by PDU.
struct Script {
    var client = GATTClient()

    /// Starts an operation, gives it these PDUs one after the other, each as the answer to a
    /// request, and returns all that came of it.
    mutating func play(
        _ operation: GATT.Operation,
        answers: [[UInt8]],
        id: GATTClient.OperationID = 1
    ) -> [GATTClient.Action] {
        var actions = client.start(operation, id: id)
        for answer in answers {
            actions += client.nextPDU(now: .zero)?.actions ?? []
            actions += client.receive(answer[...], now: .zero)
        }
        return actions
    }
}
