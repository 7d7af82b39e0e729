// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// What is known of a connection event while it goes on (Vol 6, Part B, 4.5.1).
struct ConnectionEvent: Sendable {
    /// Its channel.
    let channel: RadioChannel
    /// Whether the Peripheral listens.
    let isPeripheralListening: Bool
    /// Whether the radios had too little time for what there was to say.
    let isSqueezed: Bool
    /// Until when both radios are engaged for the present exchange.
    var exchangeEnd: Instant
    /// Whether the Peripheral has heard the Central in it.
    var hasPeripheralHeard = false
    /// The packet that is on the air; nil before the first.
    var packet: LinkPacket?
}

/// A packet of a link on the air.
struct LinkPacket: Sendable {
    /// Who sends it.
    let side: LinkSide
    /// What it says; nil for nothing.
    let pdu: LinkPDU?
    /// SN.
    let number: Bool
    /// NESN.
    let expectation: Bool
    /// MD: whether the sender has more to say.
    let hasMore: Bool
    /// How many octets header, payload and MIC are.
    let length: Int
    /// How it is sent.
    let modulation: Modulation
    /// Where and when.
    let transmission: Transmission
}

extension Ether {
    /// Something that the link set itself is due.
    package mutating func linkTimerFired(_ timer: LinkTimer, _ id: LinkID) {
        guard let box = links.take(id) else { return }
        switch timer {
        case .connectionEvent: beginEvent(of: &box.link)
        case .packetEnds: packetEnds(of: &box.link)
        case .centralDeadline: deadlinePassed(.central, &box.link)
        case .peripheralDeadline: deadlinePassed(.peripheral, &box.link)
        }
        links.putBack(box)
    }

    /// An anchor: whatever was to change at this event does, and the Central sends. Without a
    /// Central there are no more events.
    private mutating func beginEvent(of link: inout Link) {
        for side in LinkSide.allCases { tellProcedures(side, &link) }
        guard link.central != nil else { return }
        guard link.anchor <= now else {
            timeline.schedule(.link(.connectionEvent, link.id), at: link.anchor)
            return
        }
        let channel = link.nextChannel()
        load(.central, &link, budget: .max)
        link.event = engageFirstExchange(of: &link, on: channel)
        if link.event == nil { return closeEvent(of: &link) }
        send(.central, &link, at: now.nanoseconds)
    }

    /// The procedures of the end learn which event begins. If one moves the anchor, the event
    /// begins again when that has come.
    private mutating func tellProcedures(_ side: LinkSide, _ link: inout Link) {
        guard link[side]?.procedures.updates.isEmpty == false else { return }
        let counter = link.eventCounter
        guard let actions = link[side]?.procedures.eventBegins(counter, now: now) else { return }
        perform(actions, side, &link)
    }

    /// The event is over: the next one is as long after its anchor as the Central thinks.
    mutating func closeEvent(of link: inout Link) {
        let outcome = EventOutcome(link.event)
        link.event = nil
        release(link)
        link.peripheral?.eventEnds(outcome)
        guard link.central != nil else { return armDeadline(.peripheral, &link) }
        link.central?.eventEnds(outcome)
        link.anchor = link.nextAnchor
        link.eventCounter &+= 1
        timeline.schedule(.link(.connectionEvent, link.id), at: link.anchor)
        engageAhead(for: link)
        for side in LinkSide.allCases { armDeadline(side, &link) }
    }
}

/// What the ends make of a connection event that is over.
private struct EventOutcome {
    let isSqueezed: Bool
    let isPeripheralListening: Bool
    let hasPeripheralHeard: Bool

    /// Nil for an event in which the Central could not send.
    init(_ event: ConnectionEvent?) {
        isSqueezed = event?.isSqueezed ?? true
        isPeripheralListening = event?.isPeripheralListening ?? false
        hasPeripheralHeard = event?.hasPeripheralHeard ?? false
    }
}

extension Link {
    /// The channel of the event that begins now.
    fileprivate mutating func nextChannel() -> RadioChannel {
        let map = central?.rhythm.channelMap ?? .all
        let channel = RadioChannel(hopping.next(eventCounter, map))
        return channel ?? RadioChannel.primaryAdvertising[0]
    }
}

extension LinkEnd {
    /// A connection event is over.
    fileprivate func eventEnds(_ event: EventOutcome) {
        let isPeripheral = procedures.side == .peripheral
        let wasAway = isPeripheral && !event.isPeripheralListening
        if isPeripheral { chooseWhenToListen(event, wasAway: wasAway) }
        guard !wasAway else { return }
        missedEvents = event.isSqueezed ? missedEvents + 1 : 0
    }

    /// The Peripheral passes over as many events as it may, once it has been heard and has heard
    /// (Vol 6, Part B, 4.5.1).
    private func chooseWhenToListen(_ event: EventOutcome, wasAway: Bool) {
        if wasAway {
            eventsToSkip = max(0, eventsToSkip - 1)
        } else {
            eventsToSkip = event.hasPeripheralHeard ? rhythm.parameters.latency : 0
        }
    }

    /// Whether the Peripheral listens at the next anchor.
    var wantsToListen: Bool { eventsToSkip == 0 || hasSomethingToSend }
}
