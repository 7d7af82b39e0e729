// SPDX-License-Identifier: Apache-2.0

/// A call of the app that concerns one accessory.
enum Command: Hashable, Sendable, CaseIterable {
    /// Find, connect and pair an accessory, or try the pairing again.
    case pair
    /// Keep the paired accessory connected.
    case connect
    /// End the link, and do not connect again before the app requests it.
    case disconnect
    /// End the link and erase all stored data.
    case forget
}

/// A decision of the pool about a slot, or about the request for one.
enum SlotEvent: Hashable, Sendable {
    /// The slot is reserved.
    case granted
    /// No slot is free yet; the value has the number of slots in use.
    case delayed(AttemptRecord.Slots)
    /// A link that was made without a slot cannot stay. The accessory waits for a slot.
    case denied(AttemptRecord.Slots)
    /// Another accessory receives the slot: the link or the connection attempt must be ended.
    case revoked
    /// Another accessory has released its slot, and none waits for it.
    case freed
}

/// A change of a subscription.
enum SubscriptionChange: Hashable, Sendable {
    /// The accessory has confirmed the subscription.
    case confirmed
    /// The subscription has ended.
    case ended
    /// The beginning or the end of the subscription failed.
    case failed(LinkFailure)
}

/// An event that concerns one peripheral.
enum AccessoryLinkEvent: Hashable, Sendable {
    /// An advertisement was received.
    case seen(rssi: Int?)
    /// The peripheral is connected; `known` contains the characteristics that were discovered
    /// before and are still valid.
    case connected(known: Set<CharacteristicPath>)
    /// The connection attempt failed.
    case failedToConnect(LinkFailure)
    /// The link has ended, without a failure if this device ended it. If `isReconnecting` is
    /// `true`, the system makes the link again.
    case disconnected(LinkFailure?, isReconnecting: Bool)
    /// The peripheral has these of the requested services.
    case servicesDiscovered(Set<BluetoothID>)
    /// A service has these of the requested characteristics. One event covers all services with the
    /// same UUID.
    case characteristicsDiscovered(of: BluetoothID, Set<BluetoothID>)
    /// The discovery of services or characteristics failed.
    case discoveryFailed(LinkFailure)
    /// A subscription has changed.
    case subscriptionChanged(CharacteristicPath, SubscriptionChange)
    /// The read of the protected characteristic has ended, with a failure if there was one.
    case probed(LinkFailure?)
    /// The accessory refuses all messages whose answers it sends on this characteristic. The driver
    /// requests this step of the renewal.
    case messagesRefused(CharacteristicPath, Renewal, LinkFailure)
    /// These services have changed.
    case servicesModified(Set<BluetoothID>)
}

extension AccessoryMachine {
    /// An event for the state machine.
    enum Event: Equatable {
        /// Bluetooth is switched on, and the app may use it.
        case available
        /// Bluetooth is unavailable.
        case unavailable(Unavailability)
        /// The system restored a peripheral.
        case restored(Peripheral, RestoredLink)
        /// The answer to `retrieve`.
        case retrieved(Peripheral?)
        /// A matching device was discovered: the device that the search looks for, or the known
        /// accessory, perhaps under a new system identifier.
        case found(Peripheral, rssi: Int?)
        /// An event of a peripheral.
        case link(Peripheral, AccessoryLinkEvent)
        /// An event of the slot.
        case slot(SlotEvent)
        /// The armed countdown has ended.
        case countdownEnded(Countdown)
        /// The first pairing took longer than this total limit.
        case pairingLimitReached(Duration)
        /// A call of the app.
        case command(Command)
    }
}
