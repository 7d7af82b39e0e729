// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// An event for a central manager. It becomes a callback on the manager's queue.
package enum CentralEvent: Sendable {
    case stateChanged(ManagerState)
    /// Sent before the first state, and only if there is state to restore.
    case restored(RestoredCentral)
    case discovered(PeerIdentifier, name: String?, ScanMatch)
    case connected(PeerIdentifier, ConnectionRequestNumber)
    case failedToConnect(PeerIdentifier, ConnectionRequestNumber, ClientError)
    case disconnected(PeerIdentifier, ConnectionEnd)
    /// A peer connected or disconnected, for clients that registered for this.
    case connectionEvent(isConnected: Bool, PeerIdentifier)
    /// An event of one peripheral.
    case peripheral(PeerIdentifier, RemoteEvent)

    /// Whether the event may be dropped when too many events wait. Peers can cause any number of
    /// these events without a command of the application.
    var isDispensable: Bool {
        switch self {
        case .discovered, .connectionEvent: true
        case .peripheral(_, .valueReceived), .peripheral(_, .servicesModified),
            .peripheral(_, .nameChanged):
            true
        default: false
        }
    }
}

/// The end of a manager's use of a link.
package struct ConnectionEnd: Sendable {
    /// The connection request that ended, or that waits again if the adapter is reconnecting.
    package let request: ConnectionRequestNumber
    /// The time in seconds since the reference date.
    package let timestamp: Double
    /// Whether the adapter reconnects automatically.
    package let isReconnecting: Bool
    /// The reason for the end; `nil` if the application canceled the connection.
    package let error: ClientError?
}
