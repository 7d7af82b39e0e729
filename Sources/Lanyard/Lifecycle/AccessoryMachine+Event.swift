// SPDX-License-Identifier: Apache-2.0

/// What an application wishes of an accessory.
enum Wish: Hashable, Sendable, CaseIterable {
    /// That one is found, connected to and paired; or that pairing is tried again.
    case pair
    /// That the one which was paired is kept connected.
    case connect
    /// That its link is ended, and not made again before it is wished.
    case disconnect
    /// That its link is ended, and nothing of it remembered.
    case forget
}

/// What the pool says about the slot that was asked for.
enum SlotEvent: Hashable, Sendable {
    /// It is there.
    case granted
    /// There is none yet; so many are in use.
    case delayed(AttemptRecord.Slots)
    /// The link that has come by itself cannot stay. A slot will be granted later, to dial.
    case turnedAway(AttemptRecord.Slots)
    /// Another accessory gets it: the link has to be ended.
    case revoked
}

/// What became of a subscription.
enum SubscriptionChange: Hashable, Sendable {
    /// The accessory has confirmed it.
    case confirmed
    /// It is over.
    case ended
    /// It was refused.
    case failed(LinkFailure)
}

/// What is told about one peripheral.
enum LinkEvent: Hashable, Sendable {
    /// It advertises.
    case seen(rssi: Int?)
    /// It is connected; `known` is what its object still shows of services, and is still valid.
    case connected(known: Set<CharacteristicPath>)
    /// It could not be connected to.
    case failedToConnect(LinkFailure)
    /// Its link has ended: without a failure if this device has ended it. If it is reconnecting, the
    /// system makes the link again.
    case disconnected(LinkFailure?, isReconnecting: Bool)
    /// It has these services, among those that were asked for.
    case servicesDiscovered(Set<BluetoothID>)
    /// One of its services has these characteristics, among those that were asked for. Told once for
    /// each, also if there are several services alike.
    case characteristicsDiscovered(of: BluetoothID, Set<BluetoothID>)
    /// Services or characteristics could not be discovered.
    case discoveryFailed(LinkFailure)
    /// A subscription has changed.
    case subscriptionChanged(CharacteristicPath, SubscriptionChange)
    /// The protected characteristic was read, or could not be.
    case probed(LinkFailure?)
    /// These of its services are not what they were.
    case servicesModified(Set<BluetoothID>)
}

extension AccessoryMachine {
    /// What can happen.
    enum Event: Equatable {
        /// Bluetooth is switched on, and may be used.
        case available
        /// Bluetooth cannot be used.
        case unavailable(Unavailability)
        /// The system hands back a peripheral.
        case restored(Peripheral, RestoredLink)
        /// The answer to `retrieve`.
        case retrieved(Peripheral?)
        /// A device was seen that is wanted: what is looked for, or the accessory under another
        /// identifier of the system's than before.
        case found(Peripheral, rssi: Int?)
        /// Something about a peripheral.
        case link(Peripheral, LinkEvent)
        /// Something about the slot.
        case slot(SlotEvent)
        /// The countdown that was armed is over.
        case countdownEnded(Countdown)
        /// The application wishes something.
        case wished(Wish)
    }
}
