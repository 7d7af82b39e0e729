// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The rhythm of the sets (Vol 6, Part B, 4.4.2.2).
///
/// An event is made packet by packet: when one ends, it is known whether somebody asks, and so what
/// comes next and when; that is sent at once, ahead of its time. A request begins T_IFS after the
/// packet, and who sends one has said so by then. So an event to which nobody reacts costs
/// one timer, and one end for each packet.
///
/// The radio does one thing at a time. A packet for which it is not free, because of a connection or
/// another set, is left out: its place in the event stays empty, and the event goes on after it. A
/// request for which it is not free is not heard.
extension VirtualController {
    /// Enables the set. The first event comes within a random delay, so that devices which are
    /// switched on together do not collide at once; at high duty cycle without any.
    mutating func startAdvertising(
        _ place: Int,
        _ run: AdvertisingRun,
        lasting limit: Duration?,
        _ ether: inout Ether
    ) {
        let set = advertiser.sets[place].handle
        let delay = advertisingDelay(place)
        advertiser.sets[place].run = run
        if let limit {
            let end = ether.now + limit
            advertiser.sets[place].run?.end = end
            advertiser.sets[place].run?.endTimer = ether.schedule(
                .advertisingEnds(set: set),
                of: radio,
                at: end
            )
        }
        rest(place, until: ether.now.later(delay), &ether)
    }

    /// Disables the set in silence, if it is enabled. What is in the air goes to its end.
    mutating func stopAdvertising(_ place: Int, _ ether: inout Ether) {
        guard var run = advertiser.sets[place].run else { return }
        ether.cancel(&run.timer)
        ether.cancel(&run.endTimer)
        advertiser.sets[place].run = nil
    }

    /// The next event of the set is due, or a request has ended without leading to anything.
    mutating func advertise(_ set: UInt8, _ ether: inout Ether) {
        guard let place = advertiser.place(of: set), let run = advertiser.sets[place].run,
            run.due == ether.now
        else { return }
        advertiser.sets[place].run?.timer = nil
        switch run.step {
        case .resting: beginEvent(place, &ether)
        case .sending: break
        case .hearing: goOn(place, at: ether.now.later(AdvertisingPace.channelChange), &ether)
        }
    }

    private mutating func beginEvent(_ place: Int, _ ether: inout Ether) {
        advertiser.sets[place].run?.eventStart = ether.now
        guard let addresses = addresses(for: advertiser.sets[place]) else {
            return rest(place, until: nextEvent(place, ether.now), &ether)
        }
        advertiser.sets[place].run?.addresses = addresses
        let channels = advertiser.sets[place].manner.channels
        advertiser.sets[place].run?.channelsLeft = channels
        if !advertiser.sets[place].manner.isLegacy { planAuxiliary(place, ether.now) }
        advertiseOnNextChannel(place, at: ether.now, &ether)
    }

    /// Sends on the next of the primary channels that are left for this event; when none is, goes on
    /// to what the packets pointed to, or ends the event.
    mutating func advertiseOnNextChannel(_ place: Int, at start: Instant, _ ether: inout Ether) {
        var start = start
        while let channel = advertiser.sets[place].run?.takeChannel() {
            let packet = primaryPacket(place, on: channel, at: start)
            if send(packet, of: place, &ether) { return }
            start = packet.transmission.end.later(pause(after: place))
        }
        if advertiser.sets[place].run?.pointer != nil {
            sendAuxiliary(place, .auxiliary, &ether)
        } else {
            endEvent(place, &ether)
        }
    }

    /// Sends the packet, unless the radio is engaged otherwise: then false.
    mutating func send(
        _ packet: AdvertisingPacket,
        of place: Int,
        _ ether: inout Ether
    ) -> Bool {
        let transmission = packet.transmission
        let listening = listens(after: packet, place) ? AdvertisingPace.frameSpace : 0
        let isFree = ether.schedules[radio.index].engage(
            from: transmission.start,
            to: transmission.end.later(listening),
            now: ether.now
        )
        guard isFree else { return false }
        ether.transmit(packet)
        advertiser.sets[place].run?.step = .sending(start: transmission.start)
        return true
    }

    /// A packet of a set has ended, and all that heard it have acted on it.
    mutating func advertiserTransmitted(_ packet: AdvertisingPacket, _ ether: inout Ether) {
        guard let set = packet.pdu.advertisingSet, let place = advertiser.place(of: set),
            case .sending(packet.transmission.start) = advertiser.sets[place].run?.step
        else { return }
        guard listens(after: packet, place) else {
            return goOn(place, at: ether.now.later(AdvertisingPace.channelChange), &ether)
        }
        let request = ether.now.later(AdvertisingPace.frameSpace)
        if let end = ether.air.end(ofPacketsFrom: request, on: packet.transmission.channel),
            ether.schedules[radio.index].engage(from: request, to: end, now: ether.now)
        {
            advertiser.sets[place].run?.step = .hearing(start: request)
            wait(place, until: end, &ether)
        } else {
            goOn(place, at: request.later(AdvertisingPace.channelChange), &ether)
        }
    }

    /// Whether the radio listens for a request after the packet.
    private func listens(after packet: AdvertisingPacket, _ place: Int) -> Bool {
        switch packet.pdu {
        case .legacy: advertiser.sets[place].manner.allowsRequests
        case .extended(let pdu): pdu.kind == .auxiliary && (pdu.isConnectable || pdu.isScannable)
        default: false
        }
    }

    /// What comes after a packet to which nobody reacted, or after a response.
    private mutating func goOn(_ place: Int, at start: Instant, _ ether: inout Ether) {
        guard let run = advertiser.sets[place].run else { return }
        if advertiser.sets[place].manner.isLegacy || !run.channelsLeft.isEmpty {
            advertiseOnNextChannel(place, at: start, &ether)
        } else if run.pointer != nil {
            sendAuxiliary(place, run.nextKind, &ether)
        } else {
            endEvent(place, &ether)
        }
    }

    /// The event is over: rests until the next, if there is to be one.
    mutating func endEvent(_ place: Int, _ ether: inout Ether) {
        guard var run = advertiser.sets[place].run else { return }
        run.completedEvents += 1
        let isLast = run.eventLimit > 0 && run.completedEvents >= Int(run.eventLimit)
        advertiser.sets[place].run = run
        if isLast {
            terminateSet(place, .limitReached, &ether)
        } else {
            rest(place, until: nextEvent(place, run.eventStart), &ether)
        }
    }

    private mutating func rest(_ place: Int, until instant: Instant, _ ether: inout Ether) {
        advertiser.sets[place].run?.step = .resting
        wait(place, until: instant, &ether)
    }

    private mutating func wait(_ place: Int, until instant: Instant, _ ether: inout Ether) {
        let timer = ControllerTimer.advertise(set: advertiser.sets[place].handle)
        let instant = max(instant, ether.now)
        advertiser.sets[place].run?.due = instant
        advertiser.sets[place].run?.timer = ether.schedule(timer, of: radio, at: instant)
    }

    private mutating func nextEvent(_ place: Int, _ eventStart: Instant) -> Instant {
        let interval = advertiser.sets[place].run?.interval ?? 0
        return eventStart.later(interval + advertisingDelay(place))
    }

    /// advDelay, in nanoseconds: none at high duty cycle.
    private mutating func advertisingDelay(_ place: Int) -> Int64 {
        guard !advertiser.sets[place].manner.isHighDutyCycle else { return 0 }
        return Int64(dice.uniform(below: AdvertisingPace.delayMaximum + 1))
    }

    /// How long after a packet on a primary channel the next one follows, if nobody reacts.
    private func pause(after place: Int) -> Int64 {
        let manner = advertiser.sets[place].manner
        let listening = manner.isLegacy && manner.allowsRequests ? AdvertisingPace.frameSpace : 0
        return listening + AdvertisingPace.channelChange
    }
}

extension AdvertisingRun {
    /// Takes the first of the primary channels that are left; they are used in ascending order.
    fileprivate mutating func takeChannel() -> RadioChannel? {
        let place = channelsLeft.rawValue.trailingZeroBitCount
        guard place < RadioChannel.primaryAdvertising.count else { return nil }
        channelsLeft.remove(HCI.AdvertisingChannels(rawValue: 1 << place))
        return RadioChannel.primaryAdvertising[place]
    }
}

extension AdvertisingPDU {
    /// Which of its sender's sets an advertiser's packet is of.
    fileprivate var advertisingSet: UInt8? {
        switch self {
        case .legacy(let pdu), .scanResponse(let pdu): pdu.set
        case .extended(let pdu): pdu.set
        case .scanRequest, .connectionRequest, .connectionResponse: nil
        }
    }
}
