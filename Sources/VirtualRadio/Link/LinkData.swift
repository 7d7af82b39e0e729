// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The way of data: from host to host, a PDU at a time.
extension Ether {
    /// The link type of LE in Data Buffer Overflow: ACL (Vol 4, Part E, 7.7.26).
    private static let aclLinkType: UInt8 = 0x01

    /// The host sends data on one of its links. What is too much or too long is lost, and the host
    /// is told (Data Buffer Overflow); what is for no link, or has flags that no LE link knows
    /// (Vol 4, Part E, 5.4.2), is passed over, and so is what comes after the host's Disconnect.
    package mutating func sendData(_ packet: HCI.ACLPacket, from radio: RadioID) {
        guard let (id, side) = findLink(of: radio, packet.connectionHandle),
            packet.broadcast == 0,
            packet.boundary == .firstNonFlushable || packet.boundary == .continuing,
            links[id]?[side]?.procedures.isLeaving == false
        else { return }
        let account = links.accounts[radio.index]
        guard packet.payload.count <= account.dataPacketLength,
            account.heldPackets < account.dataPacketCount
        else {
            let overflow = HCI.DataBufferOverflow(linkType: Self.aclLinkType)
            return emit(.dataBufferOverflow(overflow), to: radio)
        }
        guard !packet.payload.isEmpty else {
            return complete(packet.connectionHandle, radio)
        }
        links.accounts[radio.index].heldPackets += 1
        links[id]?[side]?.heldPackets += 1
        links[id]?[side]?.queue.append(packet)
    }

    /// A packet has arrived: perhaps it acknowledges the one that the end sent last.
    mutating func acknowledge(_ packet: LinkPacket, _ side: LinkSide, _ link: inout Link) {
        guard link[side]?.sequence.acknowledges(packet.expectation) == true else { return }
        link[side]?.isAwaitingAcknowledgement = false
        guard let pdu = link[side]?.outgoing else { return }
        link[side]?.outgoing = nil
        switch pdu.content {
        case .data(let fragment):
            if fragment.isLast { giveBack(side, &link) }
        case .control(let pdu):
            let actions = link[side]?.procedures.acknowledged(pdu, now: now) ?? []
            perform(actions, side, &link)
        }
    }

    /// A packet has arrived: if it is not one that has been there before, it says something. Data
    /// for which the host has no room is as if it had not come: it will come again.
    mutating func accept(_ packet: LinkPacket, _ side: LinkSide, _ link: inout Link) {
        guard let radio = link[side]?.radio else { return }
        if case .data? = packet.pdu?.content, !hasRoomForData(radio) { return }
        guard link[side]?.sequence.isNew(packet.number) == true, let pdu = packet.pdu else {
            return
        }
        guard pdu.key == link[side]?.receivingKey else {
            return finish(side, .messageIntegrityFailure, &link)
        }
        switch pdu.content {
        case .data(let fragment): deliver(fragment, side, &link)
        case .control(let pdu): hear(pdu, side, &link)
        }
    }

    private mutating func hear(_ pdu: LLControlPDU, _ side: LinkSide, _ link: inout Link) {
        guard let radio = link[side]?.radio else { return }
        let wanted = ports[radio.index].filter.leEvents
        let counter = link.eventCounter
        let actions = link[side]?.procedures.receive(
            pdu,
            wanted: wanted,
            eventCounter: counter,
            now: now
        )
        perform(actions ?? [], side, &link)
    }

    private mutating func deliver(
        _ fragment: LinkFragment,
        _ side: LinkSide,
        _ link: inout Link
    ) {
        let actions = link[side]?.procedures.receiveData(now: now) ?? []
        if !actions.isEmpty { perform(actions, side, &link) }
        guard let end = link[side] else { return }
        let packet = HCI.ACLPacket(
            connectionHandle: end.handle,
            boundary: fragment.isStart ? .firstFlushable : .continuing,
            payload: fragment.payload
        )
        deliver(packet, to: end.radio)
    }

    /// One of the host's packets has been acknowledged to its end.
    private mutating func giveBack(_ side: LinkSide, _ link: inout Link) {
        guard let end = link[side] else { return }
        link[side]?.heldPackets -= 1
        links.accounts[end.radio.index].heldPackets -= 1
        complete(end.handle, end.radio)
    }

    private mutating func complete(_ handle: ConnectionHandle, _ radio: RadioID) {
        let completed = HCI.CompletedPackets(connectionHandle: handle, count: 1)
        emit(
            .numberOfCompletedPackets(HCI.NumberOfCompletedPackets(completed: [completed])),
            to: radio
        )
    }
}
