// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetoothEnumerations

/// What the adapter has to tell one peripheral manager; it becomes a callback on the manager's queue.
enum PeripheralManagerEvent: Sendable {
    case stateChanged(CBManagerState)
    /// Channels are accepted under this number; or, with an error, are not.
    case channelPublished(CBL2CAPPSM, (any Error)?)
    case channelUnpublished(CBL2CAPPSM, (any Error)?)
    /// A central has opened a channel.
    case channelOpened(PeerIdentifier, OpenChannel)
}

/// One peripheral manager as its adapter knows it.
struct PeripheralManagerSession: Sendable {
    let identifier: SessionIdentifier
    let delivery: Delivery<PeripheralManagerEvent>
    /// The name under which the application wants its intents restored at the next launch.
    var restoreIdentifier: String?
}
