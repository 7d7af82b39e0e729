// SPDX-License-Identifier: Apache-2.0

/// The reason why Bluetooth is unavailable.
enum Unavailability: Hashable, Sendable, CaseIterable {
    /// The state is not yet known.
    case unknown
    /// Bluetooth is restarting.
    case resetting
    /// Bluetooth is switched off.
    case poweredOff
    /// The app may not use Bluetooth.
    case unauthorized
    /// The device has no Bluetooth Low Energy.
    case unsupported
}

/// The work to begin as soon as Bluetooth is available.
enum Intent: Hashable, Sendable {
    /// No work, for this reason.
    case rest(IdleReason)
    /// Pair a new accessory.
    case pair
    /// Connect to the paired accessory.
    case keep
}

/// The source of a peripheral that is available without a search.
enum Retrieval: Hashable, Sendable {
    /// The system finds the peripheral by the saved identifier.
    case remembered
    /// The system or another app is connected to the peripheral.
    case heldBySystem
}

/// The kind of a connection request.
enum Approach: Hashable, Sendable {
    /// A request with a timeout, which needs a connection slot.
    case direct
    /// A request without a time limit, which needs no connection slot. The system begins after the
    /// delay.
    case pending(after: Duration)
}

extension Approach: CustomStringConvertible {
    /// A text for records.
    var description: String {
        switch self {
        case .direct: "direct"
        case .pending(.zero): "pending"
        case .pending(let delay): "pending, in \(delay.inSeconds)"
        }
    }
}

/// The side that waits for an accessory out of range.
enum Standby: Hashable, Sendable {
    /// The library. Its connection request is pending with the system and takes effect at this
    /// time. The system waits for the time, because the timers of a suspended app do not run.
    case library(from: Duration)
    /// The system, which reconnects by itself.
    case system
}

/// The purpose for which a slot is held or requested.
enum SlotPurpose: Hashable, Sendable {
    /// A connection attempt, or the link that resulted from it.
    case request
    /// A link that was made without a slot: by a pending connection request, or before the launch.
    case existingLink
    /// A link or an attempt that is being ended. The slot is released after the end.
    case ending

    /// The kind of request to the pool. For a link that is being ended, this is `request`.
    var slotRequest: SlotRequest { self == .existingLink ? .existingLink : .request }
}

extension AccessoryMachine {
    /// The state of an accessory, with the values that belong to it.
    enum State: Equatable {
        /// Bluetooth is unavailable.
        case unavailable(Unavailability, Intent)
        /// The system has restored a peripheral, but has not yet reported that Bluetooth is
        /// available.
        case restoring(Peripheral, RestoredLink)
        /// The library asks the system for a peripheral that needs no search.
        case retrieving(Retrieval, Intent)
        /// There is nothing to do.
        case idle(IdleReason)
        /// The library searches for an accessory to pair.
        case scanning(Countdown)
        /// A connection is being made.
        case connecting(Peripheral, Connecting)
        /// Services are being discovered; `keeping` contains earlier discoveries that are still
        /// valid.
        case discoveringServices(Peripheral, Countdown, keeping: Link)
        /// Characteristics are being discovered.
        case discoveringCharacteristics(Peripheral, Countdown, Discovery)
        /// Subscriptions are being requested or renewed, and are not all confirmed.
        case subscribing(Peripheral, Countdown, Link)
        /// The accessory is usable except for its protected values.
        case connected(Peripheral, PairingProgress, Link)
        /// The app can use the accessory; see `AccessoryState.ready`.
        case ready(Peripheral, Link)
        /// A connection request is pending without a time limit, or the system reconnects.
        case outOfRange(Peripheral, Standby)
        /// The link, or the attempt to make it, is being ended.
        case disconnecting(Peripheral, Ending)
    }

    /// The link that the system preserved.
    enum RestoredLink: Hashable, Sendable {
        /// A connection request was pending, and still is.
        case connecting
        /// There is a link, and these of its characteristics are known.
        case connected(known: Set<CharacteristicPath>)
        /// The link is no longer needed, and is ended as soon as Bluetooth is available.
        case unwanted(IdleReason)
    }

    /// The progress of a connection.
    enum Connecting: Hashable, Sendable {
        /// A slot was requested.
        case waitingForSlot
        /// There is a slot, and the connection attempt is running.
        case requested(Countdown)
        /// There is a link without a slot: a pending connection request completed, or the system
        /// preserved the link. A slot was requested.
        case linkedWithoutSlot(Countdown, known: Set<CharacteristicPath>)
        /// The last attempt failed; the next one begins after the countdown.
        case backingOff(Countdown)
    }

    /// The progress of a discovery of characteristics.
    struct Discovery: Hashable, Sendable {
        /// The services that have not yet answered.
        var awaiting: Set<BluetoothID>
        /// The discovered characteristics so far.
        var link: Link
    }

    /// The discovered characteristics of a connected accessory.
    struct Link: Hashable, Sendable {
        /// The characteristics of the description that the accessory has.
        var found: Set<CharacteristicPath>
        /// The characteristics that have not confirmed their subscription.
        var unconfirmed: Set<CharacteristicPath>
        /// The characteristic whose subscription is being renewed because the accessory refuses all
        /// messages; `nil` if none is.
        var renewing: CharacteristicPath?

        /// Records that a subscription was confirmed. Returns `false` if it was not awaited.
        mutating func confirm(_ path: CharacteristicPath) -> Bool {
            guard unconfirmed.remove(path) != nil else { return false }
            if renewing == path { renewing = nil }
            return true
        }
    }

    /// The progress of pairing.
    enum PairingProgress: Hashable, Sendable {
        /// The protected characteristic is being read; the system may ask a person meanwhile.
        case probing(Countdown)
        /// The read failed or took too long, or a subscription was refused.
        case refused(LinkFailure)
    }

    /// A link that is being ended.
    struct Ending: Hashable, Sendable {
        /// The time limit for the end of the link.
        var countdown: Countdown
        /// The purpose for which a slot is held or requested: this link, or already the next one.
        var slot: SlotPurpose?
        /// The step after the end of the link.
        var then: NextStep
    }

    /// The step after the end of a link.
    enum NextStep: Hashable, Sendable {
        /// No further step, for this reason.
        case rest(IdleReason)
        /// The step that the reconnect plan decides after a failure.
        case retry(LinkFailure, linkWasUp: Bool)
        /// A connection attempt, as soon as a slot is granted.
        case connect(isGranted: Bool)
        /// A pending connection request.
        case connectPending
        /// The pairing of an accessory.
        case pair
    }
}

/// The running time limit of a state. The state machine ignores the end of a countdown unless its
/// state has that countdown.
struct Countdown: Hashable, Sendable {
    /// The number of the countdown in its state machine.
    var number: Int
    /// The end of the countdown, on the clock of the driver.
    var deadline: Duration
}
