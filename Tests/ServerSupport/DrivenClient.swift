// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A GATT client and its ATT bearer, which the test drives together.
package struct DrivenClient {
    package typealias OperationID = GATTClient.OperationID

    package static let operationLimit = GATTClient.operationLimit

    /// An event of the client or of the server.
    package enum Action: Equatable, Sendable {
        case completed(OperationID, Result<GATT.Outcome, GATT.Failure>)
        case notified(AttributeHandle, value: ArraySlice<UInt8>, GATT.SubscriptionKind)
        case servicesChanged(ClosedRange<AttributeHandle>)
        case violated(ATTBearer.Violation)
        /// A request of the peer's client to this side's server.
        case request(ATT.PDU)
        case command(ATT.PDU)
        /// The peer has confirmed an indication of this side's server.
        case confirmed(OperationID)
        /// A notification of this side's server was sent.
        case sent(OperationID)
        /// A transaction has timed out.
        case transactionTimedOut
    }

    /// A PDU to send, and the events of its transmission.
    package struct Outgoing: Equatable, Sendable {
        package let bytes: [UInt8]
        package let actions: [Action]

        package init(bytes: [UInt8], actions: [Action]) {
            self.bytes = bytes
            self.actions = actions
        }
    }

    package var bearer: ATTBearer
    package var client: GATTClient

    package init(receiveMTULimit: Int = 517) {
        bearer = ATTBearer(receiveMTULimit: receiveMTULimit)
        client = GATTClient()
    }

    package init(enhancedMTU mtu: Int) {
        bearer = ATTBearer(enhancedMTU: mtu)
        client = GATTClient(exchangesMTU: false)
    }

    package var mtu: Int { bearer.mtu }
    package var isClosed: Bool { bearer.isClosed }
    package var hasRoom: Bool { client.hasRoom(on: bearer) }
    package var operationCount: Int { client.operationCount }
    package var nextDeadline: Instant? { bearer.nextDeadline }

    package mutating func start(_ operation: GATT.Operation, id: OperationID) -> [Action] {
        client.start(operation, id: id, on: &bearer).map(Action.init)
    }

    package mutating func cancel(_ id: OperationID) -> [Action] {
        client.cancel(id, on: &bearer).map(Action.init)
    }

    package mutating func failOutOfSync() -> [Action] {
        client.failOutOfSync(on: &bearer).map(Action.init)
    }

    package mutating func receive(_ pdu: ArraySlice<UInt8>, now: Instant) -> [Action] {
        let received = bearer.receive(pdu)
        return switch received {
        case .request(let request): [.request(request)]
        case .command(let command): [.command(command)]
        case .confirmed(let id?): [.confirmed(id)]
        default: client.receive(received, on: &bearer).map(Action.init)
        }
    }

    package mutating func nextPDU(now: Instant) -> Outgoing? {
        guard let outgoing = bearer.nextPDU(now: now) else { return nil }
        guard let id = outgoing.completedCommand else {
            return Outgoing(bytes: outgoing.bytes, actions: [])
        }
        let actions = client.commandSent(id, on: &bearer)?.map(Action.init) ?? [.sent(id)]
        return Outgoing(bytes: outgoing.bytes, actions: actions)
    }

    package mutating func deadlinePassed(now: Instant) -> [Action] {
        guard !bearer.isClosed else { return [] }
        let unanswered = bearer.deadlinePassed(now: now)
        guard bearer.isClosed else { return [] }
        return end(unanswered, .timedOut) + [.transactionTimedOut]
    }

    package mutating func close(_ failure: GATT.Failure = .bearerClosed) -> [Action] {
        end(bearer.close(), failure)
    }

    /// Reports the failure of the client's operations, and of the notifications and indications of
    /// this side's server.
    private mutating func end(_ ids: [OperationID], _ failure: GATT.Failure) -> [Action] {
        let values = Set(ids.filter { !client.isRunning($0) })
        var operations = client.end(ids, failure).map(Action.init)
        var ended: [Action] = []
        for id in ids {
            if values.contains(id) {
                ended.append(.completed(id, .failure(failure)))
            } else if case .completed(id, _)? = operations.first {
                ended.append(operations.removeFirst())
            }
        }
        return ended + operations
    }
}

extension DrivenClient.Action {
    fileprivate init(_ action: GATTClient.Action) {
        self =
            switch action {
            case .completed(let id, let result): .completed(id, result)
            case .notified(let handle, let value, let kind):
                .notified(handle, value: value, kind)
            case .servicesChanged(let handles):
                .servicesChanged(handles)
            case .violated(let violation): .violated(violation)
            }
    }
}
