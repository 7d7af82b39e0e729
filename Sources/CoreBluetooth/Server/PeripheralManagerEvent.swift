// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import CoreBluetoothEnumerations

/// What the adapter has to tell one peripheral manager; it becomes a callback on the manager's queue.
enum PeripheralManagerEvent: Sendable {
    case stateChanged(CBManagerState)
    /// Before the first state, and only if there is something to restore.
    case restored(RestoredPeripheralManager)
    /// The oldest `add` of the service with this number that was not answered is; with an error, or nil.
    case added(Int, CBError?)
    /// Services are gone that the application had published before Bluetooth was off.
    case replaced([Int])
    /// A start is answered: advertising is on the air, or why it is not. `ticket` is that of the start.
    case advertisingStarted(CBError?, ticket: Int)
    /// Advertising has come to an end by itself, or goes on after Bluetooth was off.
    case advertisingChanged(isOnAir: Bool, ticket: Int)
    case subscribed(ServedCentral, PublishedTree.Place)
    case unsubscribed(ServedCentral, PublishedTree.Place)
    case asked(ServedRequest)
    /// How much fits into a value for a central.
    case lengthChanged(ServedCentral)
    /// There is room for values again, after there was none.
    case readyToUpdate
    /// Channels are accepted under this number; or, with an error, are not.
    case channelPublished(CBL2CAPPSM, (any Error)?)
    case channelUnpublished(CBL2CAPPSM, (any Error)?)
    /// A central has opened a channel.
    case channelOpened(ServedCentral, OpenChannel)
}

/// A central, and how much fits into a value for it.
struct ServedCentral: Hashable, Sendable {
    let peer: PeerIdentifier
    let maximumUpdateValueLength: Int
}

/// What a central waits for.
struct ServedRequest: Sendable {
    enum Wish: Sendable {
        case read(PublishedTree.Place, offset: Int)
        /// All of them or none.
        case write([Write])
    }

    struct Write: Sendable {
        let place: PublishedTree.Place
        let offset: Int
        let value: [UInt8]
    }

    let central: ServedCentral
    let wish: Wish
    /// Nil if no answer is expected.
    let question: GATTServer.RequestID?
}

/// One peripheral manager as its adapter knows it.
struct PeripheralManagerSession: Sendable {
    let identifier: SessionIdentifier
    let delivery: Delivery<PeripheralManagerEvent>
    /// The values that the manager has on their way; shared with it.
    let updates: Guarded<UpdateQueue>
    /// The name under which the application wants its intents restored at the next launch.
    var restoreIdentifier: String?
    /// Whether the rules for applications in the background hold.
    var hasBackgroundRules = false
    /// How many states the manager was told.
    var statesTold = 0
}
