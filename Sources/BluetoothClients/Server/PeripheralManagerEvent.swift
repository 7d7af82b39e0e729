// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// An event for a peripheral manager. It becomes a callback on the manager's queue.
package enum PeripheralManagerEvent: Sendable {
    case stateChanged(ManagerState)
    /// Sent before the first state, and only if there is state to restore.
    case restored(PeripheralManagerIntents)
    /// Answers the oldest unanswered `add` of the service with this number.
    case added(Int, ClientError?)
    /// The services with these numbers were removed, because the application published a service
    /// with the same UUID again. They were published before Bluetooth was off, or by a former
    /// process.
    case replaced([Int])
    /// Answers a start of advertising. `stopCount` identifies the start: it is the number of
    /// earlier stops.
    case advertisingStarted(ClientError?, stopCount: Int)
    /// Advertising ended without a command, or continues because Bluetooth is on. In the second
    /// case, the state `poweredOn` follows.
    case advertisingChanged(isOnAir: Bool, stopCount: Int)
    case subscribed(ServedCentral, PublishedCharacteristicID)
    case unsubscribed(ServedCentral, PublishedCharacteristicID)
    case asked(ServedRequest)
    /// `AdapterFacts.valueLengths` changed.
    case lengthsChanged
    /// The manager can send values again, because its ``PendingUpdateCount`` has space.
    case readyToUpdate
    /// A listener accepts channels on this PSM. With an error, there is no listener.
    case channelPublished(UInt16, ClientError?)
    case channelUnpublished(UInt16, ClientError?)
    /// A central opened a channel.
    case channelOpened(ServedCentral, OpenChannel)
}

extension PeripheralManagerEvent {
    /// Whether the event may be dropped if the application is too slow. Centrals can cause any
    /// number of these events. A channel that is dropped is closed, and a request is refused.
    var isDispensable: Bool {
        switch self {
        case .asked, .channelOpened: true
        default: false
        }
    }
}

/// A central, and the maximum length in bytes of a value in a notification or indication to it.
package struct ServedCentral: Hashable, Sendable {
    package let peer: PeerIdentifier
    package let maximumUpdateValueLength: Int
}

/// A request of a central.
package struct ServedRequest: Sendable {
    package enum Operation: Sendable {
        case read(PublishedCharacteristicID, offset: Int)
        /// The writes, which are performed together or not at all.
        case write([Write])
    }

    package struct Write: Sendable {
        package let characteristicID: PublishedCharacteristicID
        package let entry: GATT.WriteEntry
    }

    package let central: ServedCentral
    package let operation: Operation
    /// The server's identifier of the request; `nil` if no answer is expected.
    package let requestID: GATTServer.RequestID?
}

/// A peripheral manager at its adapter.
package struct PeripheralManagerSession: Sendable {
    /// The number of waiting changes of subscriptions at which a central that subscribes is
    /// disconnected.
    static let subscriptionLimit = 4_096

    package let identifier: SessionIdentifier
    package let delivery: Delivery<PeripheralManagerEvent>
    /// The number of values that are being sent, with its limit. Shared with the manager, which
    /// counts a value before it sends it.
    package let updates: LockedState<PendingUpdateCount>
    /// The name under which the manager's state is restored at the next launch.
    package var restoreIdentifier: String?
    /// Whether the rules for applications in the background apply.
    package var hasBackgroundRules = false
    /// The number of states that were sent to the manager.
    var statesSent = 0
    /// The number of changes of subscriptions that wait for the manager's queue.
    let waitingSubscriptions = LockedState(0)
    /// The number of `lengthsChanged` events that wait for the manager's queue: at most one.
    let waitingLengths = LockedState(0)
    /// Whether the latest central that subscribed was disconnected, because `subscriptionLimit`
    /// changes waited. Of several in a row, only the first is logged.
    var refusesSubscriptions = false

    package init(
        identifier: SessionIdentifier,
        delivery: Delivery<PeripheralManagerEvent>,
        updates: LockedState<PendingUpdateCount>,
        restoreIdentifier: String? = nil,
        hasBackgroundRules: Bool = false
    ) {
        self.identifier = identifier
        self.delivery = delivery
        self.updates = updates
        self.restoreIdentifier = restoreIdentifier
        self.hasBackgroundRules = hasBackgroundRules
    }

    /// Returns the count of the waiting events of this kind; `nil` for kinds that need no bound.
    func count(of event: PeripheralManagerEvent) -> LockedState<Int>? {
        switch event {
        case .subscribed, .unsubscribed: waitingSubscriptions
        case .lengthsChanged: waitingLengths
        default: nil
        }
    }
}
