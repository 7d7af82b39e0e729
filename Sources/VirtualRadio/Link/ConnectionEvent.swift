// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The state of a connection event (Vol 6, Part B, 4.5.1).
struct ConnectionEvent: Sendable {
    /// The channel of the event.
    let channel: RadioChannel
    /// Whether the peripheral listens.
    let isPeripheralListening: Bool
    /// Whether the event is too short for all data of both ends, because other activities reserve a
    /// radio.
    let isShortened: Bool
    /// The instant until which the radios are reserved for the current exchange.
    var exchangeEnd: Instant
    /// Whether the peripheral has received a packet of the central in the event.
    var hasPeripheralReceived = false
    /// The packet that is on the air; `nil` before the first.
    var packet: LinkPacket?
}

/// A packet of a link on the air.
struct LinkPacket: Sendable {
    /// The end that sends the packet.
    let side: LinkSide
    /// The content; `nil` for an empty PDU.
    let pdu: LinkPDU?
    /// The SN bit.
    let number: Bool
    /// The NESN bit.
    let expectation: Bool
    /// The MD bit: whether the sender has more data.
    let hasMore: Bool
    /// The length of header, payload and MIC in bytes.
    let length: Int
    /// The modulation of the packet.
    let modulation: Modulation
    /// The channel and the time of the packet.
    let transmission: Transmission
}

extension Ether {
    /// Handles a timer of a link.
    package mutating func linkTimerFired(_ timer: LinkTimer, _ id: LinkID) {
        guard let box = links.take(id) else { return }
        switch timer {
        case .connectionEvent:
            beginEvent(of: &box.link)
            awaitPacket(of: &box.link)
        case .packetEnds:
            packetEnds(of: &box.link)
            awaitPacket(of: &box.link)
        case .centralDeadline: deadlinePassed(.central, &box.link)
        case .peripheralDeadline: deadlinePassed(.peripheral, &box.link)
        }
        links.putBack(box)
    }

    /// Continues the event at the end of the packet that is on the air: at once, if shortcuts are
    /// allowed and nothing else happens in the world until that end, or with a timer.
    private mutating func awaitPacket(of link: inout RadioLink) {
        while let end = link.event?.packet?.transmission.end {
            // If a controller has output, its host must receive it at this instant, so time does
            // not advance here.
            guard takesShortcuts, announcedPorts.isEmpty, timeline.pass(to: end) else {
                timeline.schedule(.link(.packetEnds, link.id), at: end)
                return
            }
            packetEnds(of: &link)
        }
    }

    /// Begins a connection event at its anchor: applies the updates of this event, and sends the
    /// central's packet. Without a central the link has no more events.
    private mutating func beginEvent(of link: inout RadioLink) {
        for side in LinkSide.allCases { informProcedures(side, &link) }
        guard link.central != nil else { return armDeadline(.peripheral, &link) }
        guard link.anchor <= now else {
            timeline.schedule(.link(.connectionEvent, link.id), at: link.anchor)
            for side in LinkSide.allCases { armDeadline(side, &link) }
            return
        }
        let channel = link.nextChannel()
        if let outcome = performEmptyEvent(of: &link, on: channel) {
            return closeEvent(of: &link, with: outcome)
        }
        load(.central, &link, budget: .max)
        link.event = reserveFirstExchange(of: &link, on: channel)
        if link.event == nil { return closeEvent(of: &link) }
        send(.central, &link, at: now.nanoseconds)
    }

    /// Reports the beginning of the event to the procedures of the end. If they move the anchor,
    /// the event begins again at the new anchor.
    private mutating func informProcedures(_ side: LinkSide, _ link: inout RadioLink) {
        guard link[side]?.flags.hasUpdates == true else { return }
        let counter = link.eventCounter
        guard let actions = link[side]?.procedures.eventBegins(counter, now: now) else { return }
        perform(actions, side, &link)
    }

    /// Ends the event. If the link still has a central, schedules the next event after the
    /// central's connection interval.
    mutating func closeEvent(of link: inout RadioLink) {
        let outcome = EventOutcome(link.event)
        link.event = nil
        closeEvent(of: &link, with: outcome)
    }

    private mutating func closeEvent(of link: inout RadioLink, with outcome: EventOutcome) {
        release(&link)
        link.peripheral?.eventEnds(outcome)
        guard link.central != nil else { return armDeadline(.peripheral, &link) }
        link.central?.eventEnds(outcome)
        link.anchor = link.nextAnchor
        link.eventCounter &+= 1
        timeline.schedule(.link(.connectionEvent, link.id), at: link.anchor)
        reserveAhead(for: &link)
        for side in LinkSide.allCases { armDeadline(side, &link) }
    }
}

/// The result of a connection event for the ends.
struct EventOutcome {
    let isShortened: Bool
    let isPeripheralListening: Bool
    let hasPeripheralReceived: Bool

    /// Creates the result of an event in which both ends listened for as long as they needed.
    init(hasPeripheralReceived: Bool) {
        isShortened = false
        isPeripheralListening = true
        self.hasPeripheralReceived = hasPeripheralReceived
    }

    /// Creates the result; `nil` stands for an event in which the central could not send.
    init(_ event: ConnectionEvent?) {
        isShortened = event?.isShortened ?? true
        isPeripheralListening = event?.isPeripheralListening ?? false
        hasPeripheralReceived = event?.hasPeripheralReceived ?? false
    }
}

extension RadioLink {
    /// Returns the channel of the event that begins now.
    fileprivate mutating func nextChannel() -> RadioChannel {
        let map = central?.settings.channelMap ?? .all
        let channel = RadioChannel(hopping.next(eventCounter, map))
        return channel ?? RadioChannel.primaryAdvertising[0]
    }
}

extension LinkEnd {
    /// Updates the end after a connection event.
    fileprivate func eventEnds(_ event: EventOutcome) {
        let isPeripheral = side == .peripheral
        let wasAway = isPeripheral && !event.isPeripheralListening
        if isPeripheral { chooseSkippedEvents(event, wasAway: wasAway) }
        guard !wasAway else { return }
        missedEvents = event.isShortened ? missedEvents + 1 : 0
    }

    /// Chooses how many events the peripheral skips: as many as its latency allows, if it has
    /// received a packet of the central in the last event for which it listened, and otherwise none
    /// (Vol 6, Part B, 4.5.1).
    private func chooseSkippedEvents(_ event: EventOutcome, wasAway: Bool) {
        if wasAway {
            eventsToSkip = max(0, eventsToSkip - 1)
        } else {
            eventsToSkip = event.hasPeripheralReceived ? settings.parameters.latency : 0
        }
    }

    /// Whether the peripheral listens at the next anchor.
    var listensAtNextAnchor: Bool { eventsToSkip == 0 || hasSomethingToSend }
}
