// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes

// What managers that are to be restored have discovered, and listen to.
extension SharedAdapter {
    /// What a manager shows of a peripheral; nil if it has discovered nothing, or is not to be restored.
    func table(of peer: PeerIdentifier, for session: SessionIdentifier) -> RememberedTable? {
        client.tables[session]?[peer]
    }

    /// A manager shows a peripheral as it was in an earlier life.
    func adopt(_ table: RememberedTable, of peer: PeerIdentifier, for session: SessionIdentifier) {
        client.tables[session, default: [:]][peer] = table
    }

    /// Listens to what was listened to in an earlier life. The application is told of what does not
    /// succeed.
    func resubscribe(_ peer: PeerIdentifier, for session: SessionIdentifier) {
        for characteristic in table(of: peer, for: session)?.notifying ?? [] {
            ask(.renotify(characteristic), of: peer, for: session)
        }
    }

    /// A manager is gone.
    func forgetTables(of session: SessionIdentifier) {
        client.tables[session] = nil
    }
}
