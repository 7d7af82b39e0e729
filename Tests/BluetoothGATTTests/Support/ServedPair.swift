// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import ServerTestSupport

@testable import BluetoothGATT

/// A client, and a server behind its bearer, connected in memory. The server outlasts its links.
struct ServedPair {
    static let longValue = (0..<512).map { UInt8(truncatingIfNeeded: $0 / 3) }

    private(set) var client = DrivenClient()
    private var bearer = ATTBearer()
    var server = GATTServer()
    let name = GATTServer.BearerID(client: .init(rawValue: 1), channel: 4)
    private(set) var services: [GATT.DiscoveredService] = []

    /// Whether the application answers immediately. Otherwise, `questions` collects the questions.
    var answersQuestions = true
    private(set) var questions: [(id: GATTServer.RequestID, question: GATTServer.Question)] = []
    /// The value that the application stores.
    private(set) var dynamicValue = longValue

    /// The results of the operations that were started on this link.
    private(set) var ends: [DrivenClient.OperationID: [Result<GATT.Outcome, GATT.Failure>]] = [:]
    private(set) var notified: [[UInt8]] = []
    private(set) var clientRecord: ClientRecord?
    private var latestID: DrivenClient.OperationID = 0
    private var pdu: [UInt8]?

    init() throws {
        let properties: GATT.CharacteristicProperties = [
            .read, .write, .notify, .indicate, .extendedProperties,
        ]
        services = [
            try server.publish(
                .init(
                    .init(0xD001),
                    [
                        .init(.init(0xE001), properties, value: .stored(Self.longValue)),
                        .init(.init(0xE002), properties, value: .dynamic),
                    ]
                )
            ).0,
            try server.publish(
                .init(
                    Accessory.long,
                    includes: [.uuid(.init(0xD001))],
                    [.init(Accessory.long, [.read, .write], value: .stored([1, 2, 3]))]
                )
            ).0,
        ]
    }

    /// The handle of the value that the server stores.
    var storedHandle: AttributeHandle { services[0].characteristics[0].valueHandle }
    /// The handle of the value that the application stores.
    var dynamicHandle: AttributeHandle { services[0].characteristics[1].valueHandle }

    /// Starts a link.
    mutating func connect(_ security: LinkSecurity = .none) {
        client = DrivenClient()
        bearer = ATTBearer()
        (ends, notified, questions) = ([:], [], [])
        server.open(name, security: security, mtu: bearer.mtu)
    }

    /// Ends the link on both sides.
    mutating func disconnect() {
        record(client.close())
        _ = bearer.close()
        server.close(name)
    }

    /// Starts an operation of the client.
    @discardableResult
    mutating func start(_ operation: GATT.Operation) -> DrivenClient.OperationID {
        latestID += 1
        record(client.start(operation, id: latestID))
        return latestID
    }

    /// Passes PDUs in both directions until none is left, or until `limit` have passed. Returns
    /// their number.
    @discardableResult
    mutating func drive(atMost limit: Int = 100_000) -> Int {
        for count in 0..<limit {
            if let outgoing = client.nextPDU(now: .zero) {
                record(outgoing.actions)
                serve(bearer.receive(outgoing.bytes[...]))
            } else if let outgoing = bearer.nextPDU(now: .zero) {
                record(client.receive(outgoing.bytes[...], now: .zero))
            } else {
                return count
            }
        }
        return limit
    }

    /// Answers the questions to the application, on this link or on an earlier link.
    mutating func answer(_ questions: [(id: GATTServer.RequestID, question: GATTServer.Question)]) {
        for (id, question) in questions {
            perform(server.answer(id, .success(decide(question)), now: .zero))
        }
    }

    /// Performs the server's own actions, such as an indication of a change.
    mutating func perform(_ actions: [GATTServer.Action]) {
        for action in actions { perform(action) }
    }
}

extension ServedPair {
    private mutating func serve(_ received: ATTBearer.Received) {
        if bearer.mtu != server.mtu(of: name) { server.mtuChanged(name, bearer.mtu) }
        switch received {
        case .request(let pdu), .command(let pdu):
            perform(server.receive(pdu, on: name, now: .zero))
        case .confirmed:
            if let handle = server.serviceChangedHandle {
                perform(server.confirmed(handle, on: name))
            }
        default: break
        }
    }

    private mutating func perform(_ action: GATTServer.Action) {
        switch action {
        case .respond(_, let pdu): bearer.respond(pdu)
        case .indicate(_, let indication):
            try? bearer.indicate(.handleValueIndication(indication), id: 1)
        case .ask(let id, let question):
            if answersQuestions {
                perform(server.answer(id, .success(decide(question)), now: .zero))
            } else {
                questions.append((id, question))
            }
        case .remember(_, let clientRecord): self.clientRecord = clientRecord
        case .report, .violated: break
        }
    }

    private mutating func decide(_ question: GATTServer.Question) -> [UInt8] {
        switch question {
        case .read(_, _, let offset): return Array(dynamicValue.dropFirst(offset))
        case .write(_, let entries, _):
            for entry in entries where entry.handle == dynamicHandle {
                dynamicValue.replaceSubrange(entry.offset..., with: entry.value)
            }
            return []
        }
    }

    private mutating func record(_ actions: [DrivenClient.Action]) {
        for action in actions {
            switch action {
            case .completed(let id, let result): ends[id, default: []].append(result)
            case .notified(_, let value, _): notified.append(Array(value))
            default: break
            }
        }
    }
}
