// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The state of an enabled set.
///
/// At most one timer waits for the next step, and at most one packet of the run is on the air. A
/// packet counts only if its start matches the step, because a packet of an earlier run may still
/// be on the air.
struct AdvertisingRun: Sendable {
    /// The step of a set.
    enum Step: Sendable {
        /// The set waits between two events. The timer starts the next event.
        case resting
        /// A packet that begins at `start` is on the air, or is about to be.
        case sending(start: Instant)
        /// A request that began at `start` is on the air and may be for this set. The timer waits
        /// for its end.
        case receiving(start: Instant)
    }

    /// The current step.
    var step = Step.resting
    /// The timer of the next event, or of the end of the request.
    var timer: EventToken?
    /// The instant of the timer. A timer that fires at another instant belongs to an earlier run.
    var due = Instant.zero
    /// The timer of the end of the duration that the host has set.
    var endTimer: EventToken?
    /// The instant of the end of the duration.
    var end = Instant.zero
    /// The interval between events without the random delay, in nanoseconds.
    let interval: Int64
    /// The number of events after which the set ends; 0 without a limit.
    let eventLimit: UInt8
    /// The number of completed events.
    var completedEvents = 0

    /// The beginning of the current event.
    var eventStart = Instant.zero
    /// The addresses in the current event.
    var addresses: AdvertisingAddresses
    /// The primary channels that are left in the current event.
    var channelsLeft: HCI.AdvertisingChannels = []
    /// The pointer to the next packet on a secondary channel.
    var pointer: ExtendedAdvertisement.Pointer?
    /// The number of bytes of the data, or of the scan response, that packets of this event have
    /// carried.
    var carriedBytes = 0
    /// Whether the packets carry the scan response.
    var isResponding = false

    init(interval: Int64, eventLimit: UInt8, addresses: AdvertisingAddresses) {
        self.interval = interval
        self.eventLimit = eventLimit
        self.addresses = addresses
    }

    /// The number of completed events in LE Advertising Set Terminated. It is 0 if the host has set
    /// no limit (Vol 4, Part E, 7.7.65.18).
    var reportedEvents: UInt8 {
        eventLimit == 0 ? 0 : UInt8(clamping: completedEvents)
    }
}

/// The addresses of advertiser and target on the air.
struct AdvertisingAddresses: Sendable {
    /// AdvA.
    var own: DeviceAddress
    /// Whether the controller made `own`, so that it must report the address to the host.
    var isOwnGenerated: Bool
    /// TargetA.
    var target: DeviceAddress?
}

extension VirtualController {
    /// Returns the addresses for an event of the set that begins now; `nil` if the host must set a
    /// random address first.
    func addresses(for set: borrowing VirtualAdvertisingSet) -> AdvertisingAddresses? {
        addresses(
            for: set.configuration,
            random: set.isOfLegacyCommands ? settings.randomAddress : set.randomAddress
        )
    }

    /// Returns the addresses for an event with the parameters and the random address; `nil` if it
    /// needs a random address that the host has not set.
    func addresses(
        for configuration: AdvertisingSetConfiguration,
        random: DeviceAddress?
    ) -> AdvertisingAddresses? {
        let target = configuration.isDirected ? targetAddress(configuration) : nil
        if configuration.isPrivate,
            let made = resolvingList.localAddress(toward: configuration.peer)
        {
            return AdvertisingAddresses(own: made, isOwnGenerated: true, target: target)
        }
        let isPublic =
            configuration.ownAddressType == .public
            || configuration.ownAddressType == .resolvableOrPublic
        guard let own = isPublic ? publicAddress : random else { return nil }
        return AdvertisingAddresses(own: own, isOwnGenerated: false, target: target)
    }

    /// Returns a private address of the target, if the set uses private addresses and the
    /// controller can make one (Vol 6, Part B, 6.2.2), or the target's identity address.
    private func targetAddress(_ configuration: AdvertisingSetConfiguration) -> DeviceAddress {
        guard configuration.isPrivate else { return configuration.peer }
        return resolvingList.peerAddress(of: configuration.peer) ?? configuration.peer
    }
}
