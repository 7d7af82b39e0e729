// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The exchanges of a connection event: the Central sends, the Peripheral answers, and so on while
/// either has more to say (Vol 6, Part B, 4.5.1, 4.5.6 and 4.5.9).
extension Ether {
    /// Takes the next PDU that the end sends, if the last one is acknowledged, there is one, and it
    /// takes no longer than so many nanoseconds.
    mutating func load(_ side: LinkSide, _ link: inout Link, budget: Int64) {
        guard link[side]?.mayLoad(within: budget) == true else { return }
        if link[side]?.procedures.isAboutToLeave == true { link[side]?.loadData() }
        guard link[side]?.outgoing == nil else { return }
        if !loadControl(side, &link) { link[side]?.loadData() }
    }

    private mutating func loadControl(_ side: LinkSide, _ link: inout Link) -> Bool {
        guard link[side]?.procedures.hasPDU == true else { return false }
        let counter = link.eventCounter
        guard let next = link[side]?.procedures.nextPDU(eventCounter: counter, now: now) else {
            return false
        }
        perform(next.actions, side, &link)
        link[side]?.loadControl(next.pdu)
        return true
    }

    /// The end sends what it has taken, or an empty PDU.
    mutating func send(_ side: LinkSide, _ link: inout Link, at start: Int64) {
        guard let channel = link.event?.channel,
            let packet = link[side]?.packet(on: channel, at: start)
        else { return }
        air.begin(packet.transmission)
        timeline.schedule(.link(.packetEnds, link.id), at: packet.transmission.end)
        link.event?.packet = packet
    }

    /// The packet that is on the air has ended.
    mutating func packetEnds(of link: inout Link) {
        guard let packet = link.event?.packet, link[packet.side] != nil else {
            return closeEvent(of: &link)
        }
        let isHeard = isHeard(packet, &link)
        if let reason = link[packet.side]?.farewell { finish(packet.side, reason, &link) }
        guard isHeard else { return closeEvent(of: &link) }
        switch packet.side {
        case .central: answer(packet, &link)
        case .peripheral: goOn(packet, &link)
        }
    }

    /// Whether the packet arrives whole at the other end, and if so how strong.
    private mutating func isHeard(_ packet: LinkPacket, _ link: inout Link) -> Bool {
        guard packet.side == .peripheral || link.event?.isPeripheralListening == true,
            link.endsMeet, let radio = link[packet.side.other]?.radio
        else { return false }
        let strength = receive(
            packet.transmission,
            pduLength: packet.length,
            modulation: packet.modulation,
            at: radio
        )
        guard let strength else { return false }
        link[packet.side.other]?.rssi = strength
        link[packet.side.other]?.lastHeard = now
        return true
    }

    /// The Peripheral has heard the Central. Its answer is made before it knows what the packet
    /// says: there is no time to think in a frame space. If the answer turns to another session,
    /// the packet, which was sent before, is still read in the old one.
    private mutating func answer(_ packet: LinkPacket, _ link: inout Link) {
        link.event?.hasPeripheralHeard = true
        acknowledge(packet, .peripheral, &link)
        let key = link.peripheral?.receivingKey
        let start = now.nanoseconds + LinkPace.frameSpace
        let end = (link.event?.exchangeEnd.nanoseconds ?? start) - LinkPace.frameSpace
        load(.peripheral, &link, budget: end - start)
        accept(packet, .peripheral, &link, in: key)
        guard let airTime = link.peripheral?.outgoingNanoseconds, start + airTime <= end else {
            return closeEvent(of: &link)
        }
        send(.peripheral, &link, at: start)
    }

    /// The Central has heard the Peripheral. It goes on if either has more to say and there is time.
    private mutating func goOn(_ packet: LinkPacket, _ link: inout Link) {
        acknowledge(packet, .central, &link)
        accept(packet, .central, &link, in: link.central?.receivingKey)
        load(.central, &link, budget: .max)
        guard packet.hasMore || link.central?.mustGoOn == true, engageNextExchange(of: &link) else {
            return closeEvent(of: &link)
        }
        send(.central, &link, at: now.nanoseconds + LinkPace.frameSpace)
    }
}

extension LinkEnd {
    /// Whether it takes another PDU now, if that takes no longer than so many nanoseconds.
    fileprivate func mayLoad(within budget: Int64) -> Bool {
        guard !isAwaitingAcknowledgement, outgoing == nil, hasMore else { return false }
        let length = PacketLength.header + nextPayload(isHeard: true)
        return rhythm.sending.airNanoseconds(pduLength: length) <= budget
    }

    fileprivate func loadControl(_ pdu: LLControlPDU) {
        outgoing = LinkPDU(content: .control(pdu), key: sendingKey)
    }

    fileprivate func loadData() {
        guard !procedures.isDataPaused, let fragment = queue.next(limit: pace.payloadLimit) else {
            return
        }
        outgoing = LinkPDU(content: .data(fragment), key: sendingKey)
    }

    /// How long it takes to send what it has taken, or an empty PDU.
    fileprivate var outgoingNanoseconds: Int64 {
        rhythm.sending.airNanoseconds(pduLength: outgoing?.length ?? PacketLength.header)
    }

    /// Whether a Central cannot leave it at what it has sent.
    fileprivate var mustGoOn: Bool { outgoing != nil || farewell != nil }

    /// The packet with what it has taken, or with an empty PDU, which it sends now.
    fileprivate func packet(on channel: RadioChannel, at start: Int64) -> LinkPacket {
        isAwaitingAcknowledgement = true
        return LinkPacket(
            side: procedures.side,
            pdu: outgoing,
            number: sequence.sending,
            expectation: sequence.expecting,
            hasMore: hasMore,
            length: outgoing?.length ?? PacketLength.header,
            modulation: rhythm.sending,
            transmission: Transmission(
                from: radio,
                on: channel,
                from: start,
                to: start + outgoingNanoseconds
            )
        )
    }
}

extension Link {
    /// Whether packets of one end reach the other: both see the link alike.
    fileprivate var endsMeet: Bool {
        guard let one = central?.rhythm, let other = peripheral?.rhythm else { return false }
        return one.meets(other)
    }
}
