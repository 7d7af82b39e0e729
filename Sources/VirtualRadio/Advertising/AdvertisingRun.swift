// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What an enabled set is doing.
///
/// It is in one step at a time. At most one timer waits for the next step, and at most one packet
/// of the set is in the air; both are recognised by the step, so that one of an earlier run, which
/// nobody can call back from the air, means nothing to this one.
struct AdvertisingRun: Sendable {
    /// Where in its rhythm it is.
    enum Step: Sendable {
        /// Between two events; the timer waits for the next.
        case resting
        /// A packet that began then is in the air, or is about to be.
        case sending(start: Instant)
        /// A request that began then is in the air, maybe for this set; the timer waits for its end.
        case hearing(start: Instant)
    }

    /// Where in its rhythm it is.
    var step = Step.resting
    /// The next event, or the end of the request.
    var timer: EventToken?
    /// When that is due. A timer that fires at another time is of a run of the past.
    var due = Instant.zero
    /// The end of the time that the host gave it.
    var endTimer: EventToken?
    /// When that is due.
    var end = Instant.zero
    /// From one event to the next, without the random delay, in nanoseconds.
    let interval: Int64
    /// After how many events it ends; 0 for no limit.
    let eventLimit: UInt8
    /// How many there were.
    var completedEvents = 0

    /// When the present event began.
    var eventStart = Instant.zero
    /// The addresses that the present event uses.
    var addresses: AdvertisingAddresses
    /// The primary channels that are still to be used in the present event.
    var channelsLeft: HCI.AdvertisingChannels = []
    /// Where the next packet on a secondary channel will be.
    var pointer: ExtendedAdvertisement.Pointer?
    /// How much of the data, or of the response, packets have carried.
    var carriedOctets = 0
    /// Whether it is the response that they carry.
    var isResponding = false

    init(interval: Int64, eventLimit: UInt8, addresses: AdvertisingAddresses) {
        self.interval = interval
        self.eventLimit = eventLimit
        self.addresses = addresses
    }

    /// How many events to report at the end: counted only where there was a limit
    /// (Vol 4, Part E, 7.7.65.18).
    var reportedEvents: UInt8 {
        eventLimit == 0 ? 0 : UInt8(clamping: completedEvents)
    }
}

/// By what names advertiser and target go on the air.
struct AdvertisingAddresses: Sendable {
    /// AdvA.
    var own: DeviceAddress
    /// Whether the controller made it, so that the host has to be told.
    var isOwnMade: Bool
    /// TargetA.
    var target: DeviceAddress?
}

extension VirtualController {
    /// The addresses for an event of the set that begins now; nil if the host has to set a random
    /// address first.
    func addresses(for set: borrowing AdvertisingSet) -> AdvertisingAddresses? {
        let manner = set.manner
        let target = manner.isDirected ? targetAddress(manner) : nil
        if manner.isPrivate, let made = resolvingList.localAddress(toward: manner.peer) {
            return AdvertisingAddresses(own: made, isOwnMade: true, target: target)
        }
        let random = set.isOfLegacyCommands ? settings.randomAddress : set.randomAddress
        let isPublic =
            manner.ownAddressType == .public || manner.ownAddressType == .resolvableOrPublic
        guard let own = isPublic ? publicAddress : random else { return nil }
        return AdvertisingAddresses(own: own, isOwnMade: false, target: target)
    }

    /// A private address of the target, if this set uses such and one can be made
    /// (Vol 6, Part B, 6.2.2); else its identity address.
    private func targetAddress(_ manner: AdvertisingManner) -> DeviceAddress {
        guard manner.isPrivate else { return manner.peer }
        return resolvingList.peerAddress(of: manner.peer) ?? manner.peer
    }
}
