// SPDX-License-Identifier: Apache-2.0

/// What a slot is for.
enum SlotUse: Hashable, Sendable {
    /// To dial.
    case dial
    /// For a link that is there, and has no slot.
    case arrived
}

extension AccessoryMachine {
    /// What is to be done, in the order given.
    ///
    /// Of countdowns at most one is armed at a time. Each `reserveSlot` is followed by exactly one
    /// `releaseSlot`, each `scan` by one `stopScan`, before the next; also if Bluetooth is off by then.
    enum Action: Equatable {
        /// To ask the system for a peripheral; `retrieved` is the answer.
        case retrieve(Retrieval)
        /// To look for an accessory; `found` is the answer.
        case scan
        /// To look no longer.
        case stopScan
        /// To connect.
        case connect(Peripheral, Approach)
        /// To end a link, or the attempt to make it.
        case cancelConnection(Peripheral)
        /// To look up these services.
        case discoverServices(Peripheral, Set<BluetoothID>)
        /// To look up these characteristics of a service.
        case discoverCharacteristics(Peripheral, of: BluetoothID, Set<BluetoothID>)
        /// To subscribe. Where it is subscribed, `confirmed` is the answer at once.
        case subscribe(Peripheral, CharacteristicPath)
        /// To read the protected characteristic; `probed` is the answer.
        case probe(Peripheral, CharacteristicPath)
        /// To ask the pool for a slot.
        case reserveSlot(SlotUse)
        /// To give it back, or no longer ask for it. The limit was reached if the system said so.
        case releaseSlot(limitReached: Bool)
        /// To save the identifier: it was found to be usable.
        case save(Peripheral)
        /// To erase the identifier, and all that is kept of the accessory.
        case erase
        /// To say when the countdown is over.
        case arm(Countdown)
        /// Not to.
        case cancelCountdown(Countdown)
        /// To tell the application.
        case report(AccessoryState, ChangeReason)
        /// To keep what became of an attempt.
        case record(AttemptRecord)
    }
}
