// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// What happens on the link.
extension GATTClient {
    /// Bytes to send on the bearer's channel, and what has come to pass by it.
    package struct Outgoing: Equatable, Sendable {
        package let bytes: [UInt8]
        package let actions: [Action]
    }

    /// Takes in one PDU: the payload of a frame that came on the bearer's channel.
    package mutating func receive(
        _ pdu: ArraySlice<UInt8>,
        now: Instant
    ) -> [Action] {
        switch bearer.receive(pdu) {
        case .notification(let notification):
            [.notified(notification.handle, value: notification.value, .notification)]
        case .response(let id, let response):
            advance(id, on: .response(response))
        case .failure(let id, let error):
            advance(id, on: .failure(GATT.Failure(error)))
        case .indication(let indication):
            receive(indication)
        case .multipleNotification(let notification):
            notification.entries.map { .notified($0.handle, value: $0.value, .notification) }
        case .violation(let id?, let violation):
            [.violated(violation)]
                + advance(id, on: .failure(.protocolViolation("\(violation)")))
        case .violation(nil, let violation):
            [.violated(violation)]
        case .request(let request):
            [.request(request)]
        case .command(let command):
            [.command(command)]
        case .confirmed(let id?):
            [.confirmed(id)]
        case .confirmed(nil), .answered, .ignored:
            []
        }
    }

    private mutating func receive(_ indication: ATT.HandleValueIndication) -> [Action] {
        let told = Action.notified(indication.handle, value: indication.value, .indication)
        guard let changed = database.indicated(indication.handle, indication.value) else {
            return [told]
        }
        return [told, .servicesChanged(first: changed.lowerBound, last: changed.upperBound)]
    }

    /// The next PDU to send, or nil if there is none for now.
    package mutating func nextPDU(now: Instant) -> Outgoing? {
        guard let outgoing = bearer.nextPDU(now: now) else { return nil }
        let actions = outgoing.completedCommand.map { departed($0) } ?? []
        return Outgoing(bytes: outgoing.bytes, actions: actions)
    }

    private mutating func departed(_ id: OperationID) -> [Action] {
        running[id] == nil ? [.left(id)] : end(id, .success(.done))
    }

    /// When `deadlinePassed(now:)` is to be called; nil if nothing is waited for.
    package var nextDeadline: Instant? { bearer.nextDeadline }

    /// Tells that it is `now`. If the peer has kept a request or an indication waiting too long,
    /// every operation ends and the link is to be closed.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        guard !bearer.isClosed else { return [] }
        let failed = bearer.deadlinePassed(now: now)
        guard bearer.isClosed else { return [] }
        return endAll(failed, .timedOut) + [.closeLink(.transactionTimedOut)]
    }
}
