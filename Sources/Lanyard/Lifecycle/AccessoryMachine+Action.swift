// SPDX-License-Identifier: Apache-2.0

/// A request for a connection slot.
enum SlotRequest: Hashable, Sendable {
    /// A connection attempt.
    case request
    /// An existing link that has no slot.
    case existingLink
}

extension AccessoryMachine {
    /// An action for the driver; the driver performs actions in order.
    ///
    /// At most one countdown is armed at a time. Each `reserveSlot` is followed by exactly one
    /// `releaseSlot` before the next `reserveSlot`, and each `scan` by one `stopScan`, even if
    /// Bluetooth is off by then.
    enum Action: Equatable {
        /// Ask the system for a peripheral; the event `retrieved` answers.
        case retrieve(Retrieval)
        /// Search for an accessory; the event `found` reports a matching device.
        case scan
        /// Stop the search.
        case stopScan
        /// Connect to the peripheral.
        case connect(Peripheral, Approach)
        /// End a link or the attempt to make it.
        case cancelConnection(Peripheral)
        /// Discover these services.
        case discoverServices(Peripheral, Set<BluetoothID>)
        /// Discover these characteristics of a service.
        case discoverCharacteristics(Peripheral, of: BluetoothID, Set<BluetoothID>)
        /// Subscribe. If there is a subscription already, the event `confirmed` follows at once.
        case subscribe(Peripheral, CharacteristicPath)
        /// End a subscription, so that it can begin again; the event `ended` or `failed` answers.
        case unsubscribe(Peripheral, CharacteristicPath)
        /// Read the protected characteristic; the event `probed` answers.
        case probe(Peripheral, CharacteristicPath)
        /// Request a slot from the pool.
        case reserveSlot(SlotRequest)
        /// Release the slot or withdraw the request for one. `limitReached` is `true` if the system
        /// reported that its limit was reached.
        case releaseSlot(limitReached: Bool)
        /// Save the identifier of this peripheral, which proved to be usable.
        case save(Peripheral)
        /// Erase the identifier and all stored data of the accessory.
        case erase
        /// Start a countdown; the event `countdownEnded` reports its end.
        case arm(Countdown)
        /// Cancel a countdown.
        case cancelCountdown(Countdown)
        /// Report the state to the app.
        case report(AccessoryState, ChangeReason)
        /// Keep the record of an attempt.
        case record(AttemptRecord)
    }
}
