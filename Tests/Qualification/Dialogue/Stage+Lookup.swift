// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

// The lookup of the whole table, joined to the client as a host does it.
extension Stage {
    /// Operations of the lookup; those of the application are below.
    private static let lookupOperationBase: GATTClient.OperationID = 1 << 63

    mutating func perform(_ actions: [DatabaseLookup.Action]) {
        for action in actions {
            switch action {
            case .start(let operation):
                let id = Self.lookupOperationBase + nextLookupOperation
                nextLookupOperation += 1
                lookupOperation = id
                hear(client.start(operation, id: id))
            case .found(let database):
                client.recall(database)
                databases.append(database)
            case .failed, .keep, .forget: break
            }
        }
    }
}

extension GATTClient.Action {
    /// Whether the server says that its table is not what it was.
    var tellsOfChange: Bool {
        switch self {
        case .servicesChanged: true
        case .completed(_, .failure(.attribute(.databaseOutOfSync, _))): true
        default: false
        }
    }
}
