// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// The fixture of a dialogue: the client, virtual time, and the events of the application that no
/// line has expected yet.
struct Fixture: DialogueFixture {
    var client: DrivenClient
    var lookup: DatabaseLookup
    var lookupOperation: DrivenClient.OperationID?
    var nextLookupOperation: DrivenClient.OperationID = 0
    /// The databases that the application got and that no line has expected yet.
    var databases: [GATT.Database] = []
    private var now = Instant.zero
    private var latestOperation: DrivenClient.OperationID = 0
    private var received: [DrivenClient.Action] = []

    init(receiveMTU: Int, record: DatabaseRecord? = nil) {
        client = DrivenClient(receiveMTULimit: receiveMTU)
        lookup = DatabaseLookup(record: record)
        if let handle = lookup.serviceChanged { client.client.expectServiceChanged(at: handle) }
    }

    mutating func play(_ line: Line) {
        let place = line.sourceLocation
        switch line.event {
        case .applicationAsks(let operation):
            latestOperation += 1
            handle(client.start(operation, id: latestOperation))
        case .applicationCancels:
            handle(client.cancel(latestOperation))
        case .applicationRequestsDatabase(let isTrusted):
            perform(lookup.request(isTrusted: isTrusted))
        case .applicationGetsDatabase(let database):
            let next = databases.isEmpty ? nil : databases.removeFirst()
            #expect(next == database, "the database", sourceLocation: place)
        case .applicationReceivesEvent(let action):
            expectEvent(action, place)
        case .operationEnds(let result):
            expectEvent(.completed(latestOperation, result), place)
        case .clientSends(let pdu):
            let outgoing = client.nextPDU(now: now)
            handle(outgoing?.actions ?? [])
            #expect(
                outgoing?.bytes.hexadecimal == pdu.hexadecimal,
                "the next PDU of the client",
                sourceLocation: place
            )
        case .serverSends(let pdu):
            handle(client.receive(pdu[...], now: now))
        case .timePasses(let duration):
            now = now + duration
            handle(client.deadlinePassed(now: now))
        default:
            Issue.record("a line for a dialogue with our server", sourceLocation: place)
        }
    }

    /// Passes the results of the lookup's operations to the lookup, as in a host, and keeps the
    /// other actions for the application.
    mutating func handle(_ actions: [DrivenClient.Action]) {
        for action in actions {
            if case .completed(let id, let result) = action, id == lookupOperation {
                lookupOperation = nil
                if action.reportsChange { perform(lookup.databaseChanged()) }
                perform(lookup.completed(result))
                continue
            }
            if action.reportsChange { perform(lookup.databaseChanged()) }
            received.append(action)
        }
    }

    private mutating func expectEvent(
        _ action: DrivenClient.Action,
        _ sourceLocation: SourceLocation
    ) {
        let next = received.isEmpty ? nil : received.removeFirst()
        #expect(next == action, "the next event of the application", sourceLocation: sourceLocation)
    }

    mutating func expectSilence(_ sourceLocation: SourceLocation) {
        #expect(
            received.isEmpty,
            "no other event of the application",
            sourceLocation: sourceLocation
        )
        #expect(databases.isEmpty, "no other database", sourceLocation: sourceLocation)
        let pdu = client.nextPDU(now: now)?.bytes.hexadecimal
        #expect(pdu == nil, "no other PDU of the client", sourceLocation: sourceLocation)
    }
}
