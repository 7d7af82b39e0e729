// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import ServerTestSupport

// The lookup of the whole database, connected to the client as in a host.
extension Fixture {
    /// The first identifier of the lookup's operations. The application's identifiers are below it.
    private static let lookupOperationBase: DrivenClient.OperationID = 1 << 63

    mutating func perform(_ actions: [DatabaseLookup.Action]) {
        for action in actions {
            switch action {
            case .start(let operation):
                let id = Self.lookupOperationBase + nextLookupOperation
                nextLookupOperation += 1
                lookupOperation = id
                handle(client.start(operation, id: id))
            case .found(let database):
                client.client.recall(database)
                databases.append(database)
            case .changed, .failed, .keep, .forget, .outdated: break
            }
        }
    }
}

extension DrivenClient.Action {
    /// Whether the server reports that its database has changed.
    var reportsChange: Bool {
        switch self {
        case .servicesChanged: true
        case .completed(_, .failure(.attribute(.databaseOutOfSync, _))): true
        default: false
        }
    }
}
