// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// Where a dialogue is played: the client, virtual time, and what the application has not been
/// asked about yet.
struct Stage {
    private var client: GATTClient
    private var now = Instant.zero
    private var latestOperation: GATTClient.OperationID = 0
    private var heard: [GATTClient.Action] = []

    init(receiveMTU: Int) {
        client = GATTClient(receiveMTULimit: receiveMTU)
    }

    mutating func play(_ line: Line) {
        let place = line.sourceLocation
        switch line.event {
        case .applicationAsks(let operation):
            latestOperation += 1
            heard += client.start(operation, id: latestOperation)
        case .applicationCancels:
            heard += client.cancel(latestOperation)
        case .applicationHears(let action):
            expectHeard(action, place)
        case .applicationHearsResult(let result):
            expectHeard(.completed(latestOperation, result), place)
        case .clientSends(let pdu):
            let outgoing = client.nextPDU(now: now)
            heard += outgoing?.actions ?? []
            #expect(
                outgoing?.bytes.hexadecimal == pdu.hexadecimal,
                "what the client sends",
                sourceLocation: place
            )
        case .serverSends(let pdu):
            heard += client.receive(pdu[...], now: now)
        case .timePasses(let duration):
            now = now + duration
            heard += client.deadlinePassed(now: now)
        }
    }

    private mutating func expectHeard(
        _ action: GATTClient.Action,
        _ sourceLocation: SourceLocation
    ) {
        let next = heard.isEmpty ? nil : heard.removeFirst()
        #expect(next == action, "what the application hears", sourceLocation: sourceLocation)
    }

    mutating func expectSilence(_ sourceLocation: SourceLocation) {
        #expect(heard.isEmpty, "the application hears more", sourceLocation: sourceLocation)
        let pdu = client.nextPDU(now: now)?.bytes.hexadecimal
        #expect(pdu == nil, "the client sends more", sourceLocation: sourceLocation)
    }
}
