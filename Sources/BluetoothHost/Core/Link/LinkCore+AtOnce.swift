// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Fast paths for notifications, for Write Commands, and for reads and writes of stored values,
// which can be very frequent. The PDU is encoded once, in the packet that the transport gets, and
// bypasses the bearer's queues.
extension LinkCore {
    /// Returns whether a PDU can be sent now without overtaking a PDU that waits for room: no value
    /// or packet of the link waits for it, and no record has changed since the last write. After
    /// each input, `pump` has sent all packets of the link or has recorded the link as blocked. An
    /// indication that waits for the confirmation of an earlier one may be overtaken. A closed bearer
    /// carries no PDU (Vol 3, Part F, 3.3.3).
    private func isIdle(_ context: inout LinkContext) -> Bool {
        serving.queue.isEmpty && !isBlocked && !bearer.att.isClosed
            && !context.storeState.schedule.hasChanges
    }

    /// Sends a value as a notification if the controller, or the queue of its packets, has room.
    ///
    /// - Returns: `false` if the value must wait, or must be indicated.
    /// - Throws: ``HostError/notSubscribed``, ``HostError/outOfSync`` or
    ///   ``HostError/notPermitted(_:)`` if the server does not send the value, and
    ///   ``HostError/notEncrypted`` if the link awaits encryption.
    mutating func notifyAtOnce(
        _ value: [UInt8],
        of attribute: AttributeHandle,
        _ context: inout LinkContext
    ) throws(HostError) -> Bool {
        guard !awaitsEncryption else { throw .notEncrypted }
        let grant: SendingGrant
        do throws(GATTServer.NotificationRefusal) {
            grant = try context.server.sendingGrant(
                for: attribute,
                to: identifier.client,
                earlier: serving.sendingGrant
            )
        } catch {
            throw HostError(error)
        }
        serving.sendingGrant = grant
        guard grant.kind == .notification, isIdle(&context) else { return false }
        let part = value.prefix(bearer.att.mtu - 3)
        return send(ATT.Opcode.handleValueNotification, attribute, part, &context)
    }

    /// Sends a Write Command if nothing must precede it.
    ///
    /// - Returns: `false` if the value must wait, or if the host cannot send it.
    mutating func writeAtOnce(
        _ value: [UInt8],
        to attribute: AttributeHandle,
        _ context: inout LinkContext
    ) -> Bool {
        let limit = min(bearer.att.mtu - 3, GATT.valueLengthLimit)
        // Without an MTU exchange so far, the value takes the normal path, which begins one.
        guard hasAskedForMTU || bearer.att.mtu > ATT.defaultMTU, !awaitsEncryption,
            !lookup.isOutOfSync, enhanced.isEmpty, bearer.client.operationCount == 0,
            value.count <= limit, isIdle(&context)
        else { return false }
        return send(ATT.Opcode.writeCommand, attribute, value[...], &context)
    }

    /// Answers a request to read a value that the server holds. Returns whether it was answered.
    mutating func answerAtOnce(
        _ received: ATTBearer.Received,
        _ context: inout LinkContext
    ) -> Bool {
        guard case .request(.readRequest(let request)) = received, serving.isAnnounced,
            isIdle(&context),
            let grant = context.server.readingGrant(
                for: request.handle,
                on: identifier.fixedBearer,
                earlier: serving.readingGrant
            )
        else { return false }
        serving.readingGrant = grant
        let part = grant.value.prefix(bearer.att.mtu - 1)
        guard send(ATT.Opcode.readResponse, nil, part, &context) else { return false }
        bearer.att.answeredAtOnce()
        return true
    }

    /// Sends the response to a write of stored values, if no record of the client depends on the
    /// write.
    ///
    /// - Parameter actions: The server's actions after a request.
    /// - Returns: The remaining actions.
    mutating func confirmWriteAtOnce(
        _ actions: [GATTServer.Action],
        _ context: inout LinkContext
    ) -> ArraySlice<GATTServer.Action> {
        guard actions.count == 2,
            case .respond(identifier.fixedBearer, .writeResponse) = actions[0],
            case .report(identifier.client, .written) = actions[1],
            isIdle(&context), send(ATT.Opcode.writeResponse, nil, [], &context)
        else { return actions[...] }
        bearer.att.answeredAtOnce()
        return actions[1...]
    }

    /// Sends a PDU that consists of an opcode, a handle unless it is `nil`, and a value. Returns
    /// `false` if there is no room.
    private func send(
        _ opcode: ATT.Opcode,
        _ attribute: AttributeHandle?,
        _ value: ArraySlice<UInt8>,
        _ context: inout LinkContext
    ) -> Bool {
        let count = (attribute == nil ? 1 : 3) + value.count
        let length = L2CAPFrame.headerLength + count
        let isDirect = context.transmitQueue.takeBuffer(forFrameOf: length, on: handle)
        guard isDirect || context.transmitQueue.hasRoom(handle) else { return false }
        var packet = context.makePacket(ofFrame: length, on: handle)
        L2CAPFrame.appendHeader(of: count, on: .att, to: &packet)
        packet.append(opcode.rawValue)
        if let attribute {
            packet.append(UInt8(truncatingIfNeeded: attribute.rawValue))
            packet.append(UInt8(truncatingIfNeeded: attribute.rawValue >> 8))
        }
        packet.append(contentsOf: value)
        guard !isDirect else {
            context.emit(.transmit(packet))
            return true
        }
        // If no buffer of the controller is free, or the frame needs several packets, the frame
        // waits in the queue, as the next one of the link.
        guard context.transmitQueue.enqueue(packet: packet, on: handle) else { return false }
        context.transmitPackets()
        return true
    }
}
