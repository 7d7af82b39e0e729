// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Data to the peer: from the parts of the link into the controller's buffers.
extension LinkCore {
    /// Moves the link's data into the controller as far as there is room.
    mutating func pump(_ context: inout LinkContext) {
        // Changes are written before the packets that acknowledge them are sent.
        if context.storeState.schedule.hasChanges { context.writeChanges(now: context.now) }
        var hasMore = true
        var hasRoom = context.transmitQueue.hasRoom(handle)
        while hasMore, hasRoom {
            while hasRoom {
                guard let packet = nextPacket(&context) else {
                    hasMore = false
                    break
                }
                context.transmitQueue.enqueue(packet: packet, on: handle)
                hasRoom = context.transmitQueue.hasRoom(handle)
            }
            // Packets that leave the queue make room for further frames.
            guard context.transmitPackets() else { break }
            hasRoom = context.transmitQueue.hasRoom(handle)
        }
        setBlocked(hasMore, in: &context)
        reportReadiness(&context)
    }

    /// Returns the next frame as an H4 packet that contains the whole frame.
    private mutating func nextPacket(_ context: inout LinkContext) -> [UInt8]? {
        if let frame = logicalLink.nextUrgentFrame() ?? nextSecurityFrame(&context) {
            return makePacket(with: frame, &context)
        }
        // ATT and the channels take turns, so that neither delays the other.
        guard sendsChannelsNext else {
            return nextATTPacket(&context) ?? nextChannelPacket(&context)
        }
        return nextChannelPacket(&context) ?? nextATTPacket(&context)
    }

    private func makePacket(with frame: [UInt8], _ context: inout LinkContext) -> [UInt8] {
        var packet = context.makePacket(ofFrame: frame.count, on: handle)
        packet.append(contentsOf: frame)
        return packet
    }

    private mutating func nextChannelPacket(_ context: inout LinkContext) -> [UInt8]? {
        if !enhanced.isEmpty { fillEnhanced(&context) }
        guard let next = logicalLink.nextDataFrame() else { return nil }
        sendsChannelsNext = false
        perform(next.actions, &context)
        return makePacket(with: next.frame, &context)
    }

    private mutating func nextATTPacket(_ context: inout LinkContext) -> [UInt8]? {
        submitQueuedValues()
        guard let outgoing = bearer.att.nextPDU(now: context.now) else { return nil }
        sendsChannelsNext = true
        // The PDU may be the answer to the peer's MTU exchange.
        noteMTU(&context)
        if let id = outgoing.completedCommand {
            if let actions = bearer.commandSent(id) {
                perform(actions, &context)
            } else {
                valueSent(id, &context)
            }
        }
        let count = outgoing.bytes.count
        var packet = context.makePacket(ofFrame: L2CAPFrame.headerLength + count, on: handle)
        L2CAPFrame.appendHeader(of: count, on: .att, to: &packet)
        packet.append(contentsOf: outgoing.bytes)
        return packet
    }
}
