// SPDX-License-Identifier: Apache-2.0

/// Why Bluetooth cannot be used.
enum Unavailability: Hashable, Sendable, CaseIterable {
    /// It has not said yet.
    case unknown
    /// It starts anew.
    case resetting
    /// It is switched off.
    case poweredOff
    /// The application may not use it.
    case unauthorized
    /// There is none.
    case unsupported
}

/// What is done as soon as Bluetooth is available.
enum Intent: Hashable, Sendable {
    /// Nothing.
    case rest(IdleReason)
    /// A new accessory is paired.
    case pair
    /// The one that was paired is connected to.
    case keep
}

/// Where peripherals come from that need not be looked for.
enum Retrieval: Hashable, Sendable {
    /// The system knows it by the identifier that was saved.
    case remembered
    /// The system, or another application, is connected to it.
    case heldBySystem
}

/// How a peripheral is connected to.
enum Approach: Hashable, Sendable {
    /// Within a time-out, holding a slot: it was just seen.
    case dial
    /// As long as it takes, holding no slot; the system begins with it after so long.
    case standing(after: Duration)
}

extension Approach: CustomStringConvertible {
    /// For records.
    var description: String {
        switch self {
        case .dial: "dial"
        case .standing(.zero): "standing"
        case .standing(let delay): "standing, in \(delay.inSeconds)"
        }
    }
}

/// Who waits for an accessory that is out of range.
enum Standby: Hashable, Sendable {
    /// A connect of ours, which is pending in the system, and takes effect from then on. The system waits
    /// for that time, too: an application that is suspended meanwhile has no timer that would.
    case ours(from: Duration)
    /// The system, which began by itself.
    case system
}

/// For what a slot is held, or asked for.
enum SlotHold: Hashable, Sendable {
    /// To dial, or for the link that came of that.
    case dial
    /// For a link that came by itself.
    case arrived
    /// For a link that is being ended: it is given back then, whatever comes next.
    case ending

    /// What the pool is asked for.
    var use: SlotUse { self == .arrived ? .arrived : .dial }
}

extension AccessoryMachine {
    /// What an accessory is doing, with all that belongs to it: the peripheral, and the countdown that
    /// limits the state. What is not in a case does not exist in that state.
    enum State: Equatable {
        /// Bluetooth cannot be used.
        case unavailable(Unavailability, Intent)
        /// The system has handed back a peripheral; Bluetooth has not said yet that it is available.
        case restoring(Peripheral, RestoredLink)
        /// The system is asked for a peripheral that need not be looked for.
        case retrieving(Retrieval, Intent)
        /// Nothing is done.
        case idle(IdleReason)
        /// An accessory is looked for that is to be paired.
        case scanning(Countdown)
        /// On the way to a link.
        case connecting(Peripheral, Connecting)
        /// Looking up services; what is kept was found before, and is still valid.
        case discoveringServices(Peripheral, Countdown, keeping: Link)
        /// Looking up characteristics.
        case discoveringCharacteristics(Peripheral, Countdown, Discovery)
        /// Subscriptions are asked for that are not confirmed.
        case subscribing(Peripheral, Countdown, Link)
        /// It can be used but for what is protected.
        case connected(Peripheral, PairingProgress, Link)
        /// It can be used.
        case ready(Peripheral, Link)
        /// It is waited for, without end.
        case outOfRange(Peripheral, Standby)
        /// Its link, or the attempt to make it, is being ended.
        case disconnecting(Peripheral, Ending)
    }

    /// What the system has kept of a link.
    enum RestoredLink: Hashable, Sendable {
        /// It was being connected to, and still is.
        case connecting
        /// It is connected, and this much of its services is known.
        case connected(known: Set<CharacteristicPath>)
        /// It is not wished any more: it is ended as soon as that can be asked for.
        case unwanted(IdleReason)
    }

    /// How far a link is that there is not yet.
    enum Connecting: Hashable, Sendable {
        /// A slot is asked for.
        case waitingForSlot
        /// There is a slot, and the peripheral is being connected to.
        case dialling(Countdown)
        /// It came by itself: there is a link, for which a slot is asked.
        case arrived(Countdown, known: Set<CharacteristicPath>)
        /// The last attempt failed; it is dialled again after the countdown.
        case backingOff(Countdown)
    }

    /// What is being looked up in services.
    struct Discovery: Hashable, Sendable {
        /// The services that have not answered.
        var awaiting: Set<BluetoothID>
        /// What there is so far.
        var link: Link
    }

    /// What there is of an accessory that is connected.
    struct Link: Hashable, Sendable {
        /// The characteristics that are wanted, and there.
        var found: Set<CharacteristicPath>
        /// Those that have not confirmed the subscription.
        var unconfirmed: Set<CharacteristicPath>
    }

    /// How far pairing is.
    enum PairingProgress: Hashable, Sendable {
        /// The protected characteristic is being read; the system may ask a person meanwhile.
        case probing(Countdown)
        /// That was refused, or took too long.
        case refused(LinkFailure)
    }

    /// A link that is being ended.
    struct Ending: Hashable, Sendable {
        /// How long that may take.
        var countdown: Countdown
        /// For what there is a slot, or one is asked for: for this link, or already for the next.
        var slot: SlotHold?
        /// What comes then.
        var then: Afterwards
    }

    /// What comes after the end of a link.
    enum Afterwards: Hashable, Sendable {
        /// Nothing.
        case rest(IdleReason)
        /// What the plan says about a failure.
        case retry(LinkFailure, linkWasUp: Bool)
        /// A slot is waited for, or was granted meanwhile; then it is dialled.
        case dial(isGranted: Bool)
        /// Another accessory is paired.
        case pair
    }
}
