// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The transport of data from host to host, PDU by PDU.
extension Ether {
    /// The link type of LE in Data Buffer Overflow: ACL (Vol 4, Part E, 7.7.26).
    private static let aclLinkType: UInt8 = 0x01

    /// Accepts data from the host for one of its links.
    ///
    /// Data for which the controller has no free buffer, or which is longer than a buffer, is lost,
    /// and Data Buffer Overflow reports the loss to the host. The controller ignores data that
    /// belongs to no link, data with flags that LE does not use (Vol 4, Part E, 5.4.2), and data
    /// after the host's Disconnect.
    package mutating func sendData(_ packet: HCI.ACLPacket, from radio: RadioID) {
        guard let (id, side) = findLink(of: radio, packet.connectionHandle),
            packet.broadcast == 0,
            packet.boundary == .firstNonFlushable || packet.boundary == .continuing,
            !links.isDisconnecting(id, side)
        else { return }
        guard links.resources[radio.index].hasRoom(for: packet) else {
            let overflow = HCI.DataBufferOverflow(linkType: Self.aclLinkType)
            return emit(.dataBufferOverflow(overflow), to: radio)
        }
        guard !packet.payload.isEmpty else {
            return complete(packet.connectionHandle, radio)
        }
        guard let box = links.take(id) else { return }
        links.resources[radio.index].heldPackets += 1
        box.link[side]?.hold(packet)
        links.putBack(box)
    }

    /// Processes the acknowledgment in a packet that the end has received.
    mutating func acknowledge(_ packet: LinkPacket, _ side: LinkSide, _ link: inout RadioLink) {
        guard link[side]?.sequence.acknowledges(packet.expectation) == true else { return }
        link[side]?.isAwaitingAcknowledgement = false
        guard let pdu = link[side]?.outgoing.take() else { return }
        switch pdu.content {
        case .data(let fragment):
            if fragment.isLast { giveBack(side, &link) }
        case .control(let pdu):
            let actions = link[side]?.procedures.acknowledged(pdu, now: now) ?? []
            perform(actions, side, &link)
        }
    }

    /// Processes the content of a packet that the end has received, if the packet is not a
    /// repetition. If the controller cannot hold more data for its host, a packet with data counts
    /// as not received, so the peer sends it again. A PDU of another encryption session closes the
    /// link.
    ///
    /// - Parameter key: The key of the encryption session in which the end expects the packet.
    mutating func accept(
        _ packet: LinkPacket,
        _ side: LinkSide,
        _ link: inout RadioLink,
        in key: [UInt8]?
    ) {
        guard let radio = link[side]?.radio else { return }
        if case .data? = packet.pdu?.content, !hasRoomForData(radio) { return }
        guard link[side]?.sequence.isNew(packet.number) == true, let pdu = packet.pdu else {
            return
        }
        guard pdu.key == key else {
            return finish(side, .messageIntegrityFailure, &link)
        }
        switch pdu.content {
        case .data(let fragment): deliver(fragment, side, &link)
        case .control(let pdu): receive(pdu, side, &link)
        }
    }

    private mutating func receive(_ pdu: LLControlPDU, _ side: LinkSide, _ link: inout RadioLink) {
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
        _ link: inout RadioLink
    ) {
        let actions = link[side]?.procedures.receiveData(now: now) ?? []
        if !actions.isEmpty { perform(actions, side, &link) }
        guard let radio = link[side]?.radio, let handle = link[side]?.handle else { return }
        let packet = HCI.ACLPacket(
            connectionHandle: handle,
            boundary: fragment.isStart ? .firstFlushable : .continuing,
            payload: fragment.payload
        )
        deliver(packet, to: radio)
    }

    /// Gives the buffer of an acknowledged packet back to the host.
    private mutating func giveBack(_ side: LinkSide, _ link: inout RadioLink) {
        guard let radio = link[side]?.radio, let handle = link[side]?.handle else { return }
        link[side]?.heldPackets -= 1
        links.resources[radio.index].heldPackets -= 1
        complete(handle, radio)
    }

    private mutating func complete(_ handle: ConnectionHandle, _ radio: RadioID) {
        let completed = HCI.CompletedPackets(connectionHandle: handle, count: 1)
        emit(
            .numberOfCompletedPackets(HCI.NumberOfCompletedPackets(completed: [completed])),
            to: radio
        )
    }
}

extension LinkEnd {
    /// Adds a packet of the host to the queue.
    fileprivate func hold(_ packet: HCI.ACLPacket) {
        heldPackets += 1
        queue.append(packet)
    }
}
