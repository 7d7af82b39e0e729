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
        // Persist before acknowledging.
        if context.storeState.schedule.hasChanges { context.writeChanges(now: context.now) }
        var hasMore = true
        var hasRoom = context.transmitQueue.hasRoom(handle)
        while hasMore, hasRoom {
            while hasRoom {
                guard let frame = nextFrame(&context) else {
                    hasMore = false
                    break
                }
                context.transmitQueue.enqueue(frame, on: handle)
                hasRoom = context.transmitQueue.hasRoom(handle)
            }
            // Packets that leave the queue make room for further frames.
            guard context.transmitPackets() else { break }
            hasRoom = context.transmitQueue.hasRoom(handle)
        }
        context.setBlocked(identifier, hasMore)
        announceRoom(&context)
    }

    private mutating func nextFrame(_ context: inout LinkContext) -> [UInt8]? {
        if let frame = logicalLink.nextUrgentFrame() { return frame }
        if let frame = nextSecurityFrame(&context) { return frame }
        // ATT and the channels take turns, so that neither delays the other.
        guard isChannelsTurn else {
            return nextATTFrame(&context) ?? nextChannelFrame(&context)
        }
        return nextChannelFrame(&context) ?? nextATTFrame(&context)
    }

    private mutating func nextChannelFrame(_ context: inout LinkContext) -> [UInt8]? {
        if !enhanced.isEmpty { fillEnhanced(&context) }
        guard let next = logicalLink.nextDataFrame() else { return nil }
        isChannelsTurn = false
        perform(next.actions, &context)
        return next.frame
    }

    private mutating func nextATTFrame(_ context: inout LinkContext) -> [UInt8]? {
        submitQueuedValues()
        guard let outgoing = bearer.att.nextPDU(now: context.now) else { return nil }
        isChannelsTurn = true
        // The PDU may be the answer to the peer's MTU exchange.
        noteMTU(&context)
        if let id = outgoing.completedCommand {
            if let actions = bearer.commandSent(id) {
                perform(actions, &context)
            } else {
                valueSent(id, &context)
            }
        }
        return L2CAPFrame.encode(outgoing.bytes, on: .att)
    }
}
