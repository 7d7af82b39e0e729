// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The exchanges of a connection event: the Central sends, the Peripheral answers, and so on while
/// either has more to say (Vol 6, Part B, 4.5.1, 4.5.6 and 4.5.9).
extension Ether {
    /// Takes the next PDU that the end sends, if the last one is acknowledged, there is one, and it
    /// takes no longer than so many nanoseconds.
    mutating func load(_ side: LinkSide, _ link: inout Link, budget: Int64) {
        guard let end = link[side], !end.isAwaitingAcknowledgement, end.outgoing == nil,
            end.hasMore
        else { return }
        let length = PacketLength.header + end.nextPayload(isHeard: true).length
        guard end.rhythm.sending.airNanoseconds(pduLength: length) <= budget else { return }
        if link[side]?.procedures.isAboutToLeave == true { loadData(side, &link) }
        guard link[side]?.outgoing == nil else { return }
        if !loadControl(side, &link) { loadData(side, &link) }
    }

    private mutating func loadControl(_ side: LinkSide, _ link: inout Link) -> Bool {
        let counter = link.eventCounter
        guard let next = link[side]?.procedures.nextPDU(eventCounter: counter, now: now) else {
            return false
        }
        perform(next.actions, side, &link)
        let key = link[side]?.sendingKey
        link[side]?.outgoing = LinkPDU(content: .control(next.pdu), key: key)
        return true
    }

    private func loadData(_ side: LinkSide, _ link: inout Link) {
        guard let end = link[side], !end.procedures.isDataPaused,
            let fragment = link[side]?.queue.next(limit: end.pace.payloadLimit)
        else { return }
        link[side]?.outgoing = LinkPDU(content: .data(fragment), key: end.sendingKey)
    }

    /// The end sends what it has taken, or an empty PDU.
    mutating func send(_ side: LinkSide, _ link: inout Link, at start: Instant) {
        guard let end = link[side], let channel = link.event?.channel else { return }
        let length = end.outgoing?.length ?? PacketLength.header
        let modulation = end.rhythm.sending
        let transmission = Transmission(
            from: end.radio,
            on: channel,
            start: start,
            airTime: modulation.airTime(pduLength: length)
        )
        link.event?.packet = LinkPacket(
            side: side,
            pdu: end.outgoing,
            number: end.sequence.sending,
            expectation: end.sequence.expecting,
            hasMore: end.hasMore,
            length: length,
            modulation: modulation,
            transmission: transmission
        )
        link[side]?.isAwaitingAcknowledgement = true
        air.begin(transmission)
        timeline.schedule(.link(.packetEnds, link.id), at: transmission.end)
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
        guard let sender = link[packet.side], let receiver = link[packet.side.other],
            packet.side == .peripheral || link.event?.isPeripheralListening == true,
            sender.rhythm.meets(receiver.rhythm)
        else { return false }
        let strength = receive(
            packet.transmission,
            pduLength: packet.length,
            modulation: packet.modulation,
            at: receiver.radio
        )
        guard let strength else { return false }
        link[packet.side.other]?.rssi = strength
        link[packet.side.other]?.lastHeard = now
        return true
    }

    /// The Peripheral has heard the Central. Its answer is made before it knows what the packet
    /// says: there is no time to think in a frame space.
    private mutating func answer(_ packet: LinkPacket, _ link: inout Link) {
        link.event?.hasPeripheralHeard = true
        acknowledge(packet, .peripheral, &link)
        let start = Instant(nanoseconds: now.nanoseconds + LinkPace.frameSpace)
        let end = (link.event?.exchangeEnd ?? start).nanoseconds - LinkPace.frameSpace
        load(.peripheral, &link, budget: end - start.nanoseconds)
        accept(packet, .peripheral, &link)
        guard let peripheral = link.peripheral else { return closeEvent(of: &link) }
        let length = peripheral.outgoing?.length ?? PacketLength.header
        let airTime = peripheral.rhythm.sending.airNanoseconds(pduLength: length)
        guard start.nanoseconds + airTime <= end else { return closeEvent(of: &link) }
        send(.peripheral, &link, at: start)
    }

    /// The Central has heard the Peripheral. It goes on if either has more to say and there is time.
    private mutating func goOn(_ packet: LinkPacket, _ link: inout Link) {
        acknowledge(packet, .central, &link)
        accept(packet, .central, &link)
        load(.central, &link, budget: .max)
        guard let central = link.central,
            central.outgoing != nil || packet.hasMore || central.farewell != nil,
            engageNextExchange(of: &link)
        else { return closeEvent(of: &link) }
        send(.central, &link, at: Instant(nanoseconds: now.nanoseconds + LinkPace.frameSpace))
    }
}
