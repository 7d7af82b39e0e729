// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation

/// What the adapter has to tell one central manager; it becomes a callback on the manager's queue.
enum CentralEvent: Sendable {
    case stateChanged(CBManagerState)
    /// Before the first state, and only if there is something to restore.
    case restored(RestoredCentral)
    case discovered(PeerIdentifier, name: String?, Sighting)
    case connected(PeerIdentifier, WishNumber)
    case failedToConnect(PeerIdentifier, WishNumber, any Error)
    case disconnected(PeerIdentifier, Parting)
    case connectionEvent(CBConnectionEvent, PeerIdentifier)
    /// Something of one peripheral.
    case peripheral(PeerIdentifier, PeripheralEvent)

    /// Whether others than the application decide how many of them come: they may be dropped when too
    /// many wait.
    var isDispensable: Bool {
        switch self {
        case .discovered, .connectionEvent: true
        case .peripheral(_, .valueArrived), .peripheral(_, .servicesModified),
            .peripheral(_, .nameChanged):
            true
        default: false
        }
    }
}

/// How a manager's use of a link ended.
struct Parting: Sendable {
    /// The wish that is over, or, if the adapter is reconnecting, waits again.
    let wish: WishNumber
    /// Seconds since the reference date.
    let timestamp: Double
    /// Whether the adapter goes on trying to connect by itself.
    let isReconnecting: Bool
    /// Nil if the application asked for it.
    let error: (any Error)?
}
