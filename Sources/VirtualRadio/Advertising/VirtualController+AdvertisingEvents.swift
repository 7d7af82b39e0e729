// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The advertising events of the sets (Vol 6, Part B, 4.4.2.2).
///
/// The advertiser builds an event packet by packet. A request starts T_IFS after a packet, but its
/// sender passes it to the ether already at the end of that packet. At that time the advertiser
/// finds out whether a request follows. If none does, it passes its next packet to the ether at
/// once, ahead of the start of that packet. So an event without requests needs few entries on the
/// timeline: one timer, and the end of each packet.
///
/// The radio does one thing at a time. If it is not free for a packet on a primary channel, the
/// advertiser skips that packet. If it is not free for a packet on a secondary channel, the event
/// ends. If it is not free for a request, the advertiser does not receive the request.
extension VirtualController {
    /// Enables the set. The first event begins after a random delay, so that devices that are
    /// switched on together do not collide at once. High duty cycle advertising begins without a
    /// delay.
    mutating func startAdvertising(
        _ index: Int,
        _ run: AdvertisingRun,
        lasting limit: Duration?,
        _ ether: inout Ether
    ) {
        let set = advertiser.sets[index].handle
        let delay = advertisingDelay(index)
        advertiser.sets[index].run = run
        if let limit {
            let end = ether.now + limit
            advertiser.sets[index].run?.end = end
            advertiser.sets[index].run?.endTimer = ether.schedule(
                .advertisingEnds(set: set),
                of: radio,
                at: end
            )
        }
        rest(index, until: ether.now.later(delay), &ether)
    }

    /// Disables the set, if it is enabled, without an event to the host. A packet on the air
    /// continues to its end.
    mutating func stopAdvertising(_ index: Int, _ ether: inout Ether) {
        guard var run = advertiser.sets[index].run else { return }
        ether.cancel(&run.timer)
        ether.cancel(&run.endTimer)
        advertiser.sets[index].run = nil
    }

    /// Handles the set's timer: its next event is due, or a request has ended without a response.
    mutating func advertise(_ set: UInt8, _ ether: inout Ether) {
        guard let index = advertiser.index(of: set),
            let step = advertiser.sets[index].takeTimer(ether.now)
        else { return }
        switch step {
        case .resting: beginEvent(index, &ether)
        case .sending: break
        case .receiving:
            continueEvent(index, at: ether.now.later(AdvertisingTiming.channelChange), &ether)
        }
    }

    private mutating func beginEvent(_ index: Int, _ ether: inout Ether) {
        let (configuration, random) = advertiser.sets[index].addressing(settings.randomAddress)
        let addresses = addresses(for: configuration, random: random)
        advertiser.sets[index].beginEvent(addresses, ether.now)
        if addresses == nil { return rest(index, until: nextEvent(index), &ether) }
        if !configuration.isLegacy { planAuxiliary(index, ether.now) }
        advertiseOnNextChannel(index, at: ether.now, &ether)
    }

    /// Sends a packet on the next primary channel of this event. If none is left, continues with
    /// the packet on a secondary channel, or ends the event.
    mutating func advertiseOnNextChannel(_ index: Int, at start: Instant, _ ether: inout Ether) {
        var start = start
        while let channel = advertiser.sets[index].run?.takeChannel() {
            let packet = primaryPacket(index, on: channel, at: start)
            if send(packet, of: index, &ether) { return }
            start = packet.transmission.end.later(advertiser.sets[index].pauseAfterPacket())
        }
        if advertiser.sets[index].nextAuxiliaryKind() != nil {
            sendAuxiliary(index, .auxiliary, &ether)
        } else {
            endEvent(index, &ether)
        }
    }

    /// Sends the packet.
    ///
    /// - Returns: `false`, without any effect, if the radio is not free.
    mutating func send(
        _ packet: AdvertisingPacket,
        of index: Int,
        _ ether: inout Ether
    ) -> Bool {
        let transmission = packet.transmission
        let isListening = advertiser.sets[index].listens(after: packet)
        let listening = isListening ? AdvertisingTiming.frameSpace : 0
        let isFree = ether.schedules[radio.index].reserve(
            from: transmission.start,
            to: transmission.end.later(listening),
            now: ether.now
        )
        guard isFree else { return false }
        ether.transmit(packet)
        advertiser.sets[index].run?.step = .sending(start: transmission.start)
        return true
    }

    /// Handles the end of a packet of a set, after every controller that received it has acted on
    /// it.
    mutating func advertiserTransmitted(_ packet: AdvertisingPacket, _ ether: inout Ether) {
        guard let set = packet.pdu.advertisingSet, let index = advertiser.index(of: set),
            advertiser.sets[index].isSending(packet)
        else { return }
        guard advertiser.sets[index].listens(after: packet) else {
            return continueEvent(
                index,
                at: ether.now.later(AdvertisingTiming.channelChange),
                &ether
            )
        }
        let request = ether.now.later(AdvertisingTiming.frameSpace)
        if let end = ether.air.end(ofPacketsFrom: request, on: packet.transmission.channel),
            ether.schedules[radio.index].reserve(from: request, to: end, now: ether.now)
        {
            advertiser.sets[index].run?.step = .receiving(start: request)
            wait(index, until: end, &ether)
        } else {
            continueEvent(index, at: request.later(AdvertisingTiming.channelChange), &ether)
        }
    }

    /// Continues the event after a packet without a request, after a request without a response, or
    /// after a response.
    private mutating func continueEvent(_ index: Int, at start: Instant, _ ether: inout Ether) {
        guard advertiser.sets[index].run != nil else { return }
        if advertiser.sets[index].hasPrimaryPackets() {
            advertiseOnNextChannel(index, at: start, &ether)
        } else if let kind = advertiser.sets[index].nextAuxiliaryKind() {
            sendAuxiliary(index, kind, &ether)
        } else {
            endEvent(index, &ether)
        }
    }

    /// Ends the event, and schedules the next one unless it was the last.
    mutating func endEvent(_ index: Int, _ ether: inout Ether) {
        guard let isLast = advertiser.sets[index].endEvent() else { return }
        if isLast {
            terminateSet(index, .limitReached, &ether)
        } else {
            rest(index, until: nextEvent(index), &ether)
        }
    }

    private mutating func rest(_ index: Int, until instant: Instant, _ ether: inout Ether) {
        advertiser.sets[index].run?.step = .resting
        wait(index, until: instant, &ether)
    }

    private mutating func wait(_ index: Int, until instant: Instant, _ ether: inout Ether) {
        let instant = max(instant, ether.now)
        let timer = advertiser.sets[index].wait(until: instant)
        advertiser.sets[index].run?.timer = ether.schedule(timer, of: radio, at: instant)
    }

    /// Returns the start of the next event.
    private mutating func nextEvent(_ index: Int) -> Instant {
        let delay = advertisingDelay(index)
        return advertiser.sets[index].nextEvent(after: delay)
    }

    /// Returns advDelay in nanoseconds: 0 at high duty cycle.
    private mutating func advertisingDelay(_ index: Int) -> Int64 {
        guard advertiser.sets[index].hasDelay() else { return 0 }
        return Int64(generator.uniform(below: AdvertisingTiming.delayMaximum + 1))
    }
}

/// The steps of a set's event. The methods are mutating, also those that only return a value, so
/// that a caller does not copy the set.
extension VirtualAdvertisingSet {
    /// Removes the timer, and returns the step that waited for it; `nil` if the timer that fires
    /// now belongs to an earlier run.
    fileprivate mutating func takeTimer(_ now: Instant) -> AdvertisingRun.Step? {
        guard run?.due == now else { return nil }
        run?.timer = nil
        return run?.step
    }

    /// Begins an event with the addresses, or an event without packets if they are `nil`.
    fileprivate mutating func beginEvent(_ addresses: AdvertisingAddresses?, _ now: Instant) {
        run?.eventStart = now
        guard let addresses else { return }
        run?.addresses = addresses
        run?.channelsLeft = configuration.channels
    }

    /// Counts the event, and returns whether it was the last; `nil` if the set is not enabled.
    fileprivate mutating func endEvent() -> Bool? {
        run?.endEvent()
    }

    /// Returns the start of the next event: an interval and the delay, in nanoseconds, after the
    /// start of the current event.
    fileprivate mutating func nextEvent(after delay: Int64) -> Instant {
        guard let run else { return .zero }
        return run.eventStart.later(run.interval + delay)
    }

    /// Returns whether a random delay precedes each event.
    fileprivate mutating func hasDelay() -> Bool { !configuration.isHighDutyCycle }

    /// Records the instant of the timer, and returns the timer.
    fileprivate mutating func wait(until instant: Instant) -> ControllerTimer {
        run?.due = instant
        return .advertise(set: handle)
    }

    /// Returns whether the packet of the current step is this one.
    fileprivate mutating func isSending(_ packet: AdvertisingPacket) -> Bool {
        guard case .sending(packet.transmission.start) = run?.step else { return false }
        return true
    }

    /// Returns whether the radio listens for a request after the packet.
    fileprivate mutating func listens(after packet: AdvertisingPacket) -> Bool {
        switch packet.pdu {
        case .legacy: configuration.allowsRequests
        case .extended(let pdu): pdu.kind == .auxiliary && (pdu.isConnectable || pdu.isScannable)
        default: false
        }
    }

    /// Returns the time between a packet without a request on a primary channel and the next
    /// packet, in nanoseconds.
    fileprivate mutating func pauseAfterPacket() -> Int64 {
        let listening =
            configuration.isLegacy && configuration.allowsRequests
            ? AdvertisingTiming.frameSpace : 0
        return listening + AdvertisingTiming.channelChange
    }

    /// Returns whether the event continues with `advertiseOnNextChannel`. For a legacy set the
    /// result is always `true`: if no channel is left, that method ends the event.
    fileprivate mutating func hasPrimaryPackets() -> Bool {
        configuration.isLegacy || run?.channelsLeft.isEmpty == false
    }

    /// Returns the type of the event's next packet on a secondary channel; `nil` if there is none.
    fileprivate mutating func nextAuxiliaryKind() -> ExtendedAdvertisement.Kind? {
        run?.pointer == nil ? nil : run?.nextKind
    }
}

extension AdvertisingRun {
    /// Counts the event, and returns whether it was the last.
    fileprivate mutating func endEvent() -> Bool {
        completedEvents += 1
        return eventLimit > 0 && completedEvents >= Int(eventLimit)
    }

    /// Removes and returns the next primary channel. The channels are used in ascending order.
    fileprivate mutating func takeChannel() -> RadioChannel? {
        let index = channelsLeft.rawValue.trailingZeroBitCount
        guard index < RadioChannel.primaryAdvertising.count else { return nil }
        channelsLeft.remove(HCI.AdvertisingChannels(rawValue: 1 << index))
        return RadioChannel.primaryAdvertising[index]
    }
}

extension AdvertisingPDU {
    /// The handle of the set that sent the packet; `nil` for the requests of scanners and
    /// initiators, and for AUX_CONNECT_RSP.
    fileprivate var advertisingSet: UInt8? {
        switch self {
        case .legacy(let pdu), .scanResponse(let pdu): pdu.set
        case .extended(let pdu): pdu.set
        case .scanRequest, .connectionRequest, .connectionResponse: nil
        }
    }
}
