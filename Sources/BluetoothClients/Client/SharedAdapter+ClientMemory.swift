// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The attributes and subscriptions of managers with state restoration.
extension SharedAdapter {
    /// Returns the attributes that a manager discovered; `nil` if there are none, or if the manager
    /// is not restored.
    func table(of peer: PeerIdentifier, for session: SessionIdentifier) -> RemoteTable? {
        client.tables[session]?[peer]
    }

    /// Sets the attributes that a manager's former process discovered.
    func adopt(_ table: RemoteTable, of peer: PeerIdentifier, for session: SessionIdentifier) {
        client.tables[session, default: [:]][peer] = table
    }

    /// Subscribes to the characteristics that the former process had subscribed to. The application
    /// gets an event for those that fail.
    func resubscribe(_ peer: PeerIdentifier, for session: SessionIdentifier) {
        for characteristic in table(of: peer, for: session)?.notifying ?? [] {
            ask(.renotify(characteristic), of: peer, for: session)
        }
    }

    /// Removes the attributes of a manager that was released.
    func forgetTables(of session: SessionIdentifier) {
        client.tables[session] = nil
    }
}
