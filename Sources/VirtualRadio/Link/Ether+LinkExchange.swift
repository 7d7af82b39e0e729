// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The exchanges of a connection event: the central sends, the peripheral answers, and they
/// continue while either has more data (Vol 6, Part B, 4.5.1, 4.5.6 and 4.5.9).
extension Ether {
    /// Loads the next PDU of the end, if the last PDU is acknowledged and the air time of the next
    /// PDU is at most `budget` nanoseconds.
    mutating func load(_ side: LinkSide, _ link: inout RadioLink, budget: Int64) {
        guard link[side]?.mayLoad(within: budget) == true else { return }
        if link[side]?.procedures.isAboutToDisconnect == true { link[side]?.loadData() }
        guard link[side]?.outgoing == nil else { return }
        if !loadControl(side, &link) { link[side]?.loadData() }
    }

    private mutating func loadControl(_ side: LinkSide, _ link: inout RadioLink) -> Bool {
        guard link[side]?.procedures.hasPDU == true else { return false }
        let counter = link.eventCounter
        guard let next = link[side]?.procedures.nextPDU(eventCounter: counter, now: now) else {
            return false
        }
        perform(next.actions, side, &link)
        link[side]?.loadControl(next.pdu)
        return true
    }

    /// Sends the loaded PDU of the end, or an empty PDU.
    mutating func send(_ side: LinkSide, _ link: inout RadioLink, at start: Int64) {
        guard let channel = link.event?.channel,
            let packet = link[side]?.packet(on: channel, at: start)
        else { return }
        air.begin(packet.transmission)
        link.event?.packet = packet
    }

    /// Handles the end of the packet that is on the air.
    mutating func packetEnds(of link: inout RadioLink) {
        guard let packet = link.event?.packet, link[packet.side] != nil else {
            return closeEvent(of: &link)
        }
        let isReceived = isReceived(packet, &link)
        if let reason = link[packet.side]?.termination { finish(packet.side, reason, &link) }
        guard isReceived else { return closeEvent(of: &link) }
        switch packet.side {
        case .central: answer(packet, &link)
        case .peripheral: receiveAtCentral(packet, &link)
        }
    }

    /// Returns whether the packet arrives whole at the other end, and records its signal strength
    /// and its time there.
    private mutating func isReceived(_ packet: LinkPacket, _ link: inout RadioLink) -> Bool {
        guard packet.side == .peripheral || link.event?.isPeripheralListening == true,
            link.endsAgree, let radio = link[packet.side.other]?.radio
        else { return false }
        let strength = receive(
            packet.transmission,
            pduLength: packet.length,
            modulation: packet.modulation,
            at: radio
        )
        guard let strength else { return false }
        link[packet.side.other]?.rssi = strength
        link[packet.side.other]?.lastReceived = now
        return true
    }

    /// Handles the central's packet at the peripheral. The peripheral loads its answer before it
    /// processes the packet's content, because a frame space is too short for this work. If the
    /// answer changes the encryption session, the packet, which was sent before, is still decrypted
    /// with the previous key.
    private mutating func answer(_ packet: LinkPacket, _ link: inout RadioLink) {
        link.event?.hasPeripheralReceived = true
        acknowledge(packet, .peripheral, &link)
        let key = link.peripheral?.receivingKey
        let start = now.nanoseconds + LinkTiming.frameSpace
        let end = (link.event?.exchangeEnd.nanoseconds ?? start) - LinkTiming.frameSpace
        load(.peripheral, &link, budget: end - start)
        accept(packet, .peripheral, &link, in: key)
        guard let airTime = link.peripheral?.outgoingNanoseconds, start + airTime <= end else {
            return closeEvent(of: &link)
        }
        send(.peripheral, &link, at: start)
    }

    /// Handles the peripheral's packet at the central. The central continues the event if either
    /// end has more data and there is time.
    private mutating func receiveAtCentral(_ packet: LinkPacket, _ link: inout RadioLink) {
        acknowledge(packet, .central, &link)
        accept(packet, .central, &link, in: link.central?.receivingKey)
        load(.central, &link, budget: .max)
        guard packet.hasMore || link.central?.hasMoreToSend == true, reserveNextExchange(of: &link)
        else {
            return closeEvent(of: &link)
        }
        send(.central, &link, at: now.nanoseconds + LinkTiming.frameSpace)
    }
}

extension LinkEnd {
    /// Returns whether the end can load another PDU now whose air time is at most `budget`
    /// nanoseconds.
    fileprivate func mayLoad(within budget: Int64) -> Bool {
        guard !isAwaitingAcknowledgement, outgoing == nil, hasMore else { return false }
        let length = PacketLength.header + nextPayload(isReceived: true)
        return settings.sending.airNanoseconds(pduLength: length) <= budget
    }

    fileprivate func loadControl(_ pdu: LLControlPDU) {
        outgoing = LinkPDU(content: .control(pdu), key: sendingKey)
    }

    fileprivate func loadData() {
        guard !flags.isDataPaused, let fragment = queue.next(limit: timing.payloadLimit) else {
            return
        }
        outgoing = LinkPDU(content: .data(fragment), key: sendingKey)
    }

    /// The air time of the loaded PDU, or of an empty PDU, in nanoseconds.
    fileprivate var outgoingNanoseconds: Int64 {
        settings.sending.airNanoseconds(pduLength: outgoing?.length ?? PacketLength.header)
    }

    /// Whether the central must send another packet in this event.
    fileprivate var hasMoreToSend: Bool { outgoing != nil || termination != nil }

    /// Returns the packet that is sent now, with the loaded PDU or an empty PDU.
    fileprivate func packet(on channel: RadioChannel, at start: Int64) -> LinkPacket {
        isAwaitingAcknowledgement = true
        return LinkPacket(
            side: side,
            pdu: outgoing,
            number: sequence.sending,
            expectation: sequence.expecting,
            hasMore: hasMore,
            length: outgoing?.length ?? PacketLength.header,
            modulation: settings.sending,
            transmission: Transmission(
                from: radio,
                on: channel,
                from: start,
                to: start + outgoingNanoseconds
            )
        )
    }
}

extension RadioLink {
    /// Whether packets of one end reach the other, because the settings of both ends agree.
    var endsAgree: Bool {
        guard let one = central?.timing, let other = peripheral?.timing else { return false }
        return one.isCompatible(with: other)
    }
}
