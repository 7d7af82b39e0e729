// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTClient {
    /// Processes a PDU from the bearer. A PDU for the server has no effect.
    package mutating func receive(
        _ received: ATTBearer.Received,
        on bearer: inout ATTBearer
    ) -> [Action] {
        switch received {
        case .notification(let notification):
            [.notified(notification.handle, value: notification.value, .notification)]
        case .response(let id, let response):
            advance(id, by: .response(response), on: &bearer)
        case .failure(let id, let error):
            advance(id, by: .failure(GATT.Failure(error)), on: &bearer)
        case .indication(let indication):
            receive(indication)
        case .multipleNotification(let notification):
            notification.entries.map { .notified($0.handle, value: $0.value, .notification) }
        case .violation(let id?, let violation):
            [.violated(violation)]
                + advance(id, by: .failure(.protocolViolation("\(violation)")), on: &bearer)
        case .violation(nil, let violation):
            [.violated(violation)]
        case .request, .command, .confirmed, .answered, .ignored:
            []
        }
    }

    private mutating func receive(_ indication: ATT.HandleValueIndication) -> [Action] {
        let value = Action.notified(indication.handle, value: indication.value, .indication)
        guard let changed = database.indicated(indication.handle, indication.value) else {
            return [value]
        }
        return [value, .servicesChanged(changed)]
    }

    /// Completes an operation whose command was sent, because a command has no response.
    ///
    /// - Returns: The resulting actions, or `nil` if the operation does not belong to this client.
    package mutating func commandSent(_ id: OperationID, on bearer: inout ATTBearer) -> [Action]? {
        isRunning(id) ? end(id, .success(.done), on: &bearer) : nil
    }
}

extension GATTClient {
    /// Ends the operations that use handles of a database that has changed, with the error Database
    /// Out Of Sync. The operation whose request is outstanding continues.
    ///
    /// The server refuses the outstanding request itself, as long as it considers this client
    /// change-unaware. The requests of the other operations would reach the server after the
    /// confirmation of Service Changed, which is sent ahead of requests and makes the client
    /// change-aware. The server would then execute these requests on the attributes that now have
    /// the handles.
    package mutating func failOutOfSync(on bearer: inout ATTBearer) -> [Action] {
        let named =
            running.compactMap { entry in entry.handle.map { (entry.id, $0) } }
            + waiting.compactMap { entry in entry.handle.map { (entry.id, $0) } }
        let waiting = named.filter { !bearer.isOutstanding($0.0) }.sorted { $0.0 < $1.0 }
        return waiting.flatMap { id, handle in
            stop(id, .attribute(.databaseOutOfSync, handle: handle), on: &bearer)
        }
    }
}
