// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Data from the peer: from packets to frames, and from frames to the part of the link that they
// concern.
extension LinkCore {
    mutating func receive(_ data: HCI.ACLPacket, _ context: inout LinkContext) {
        switch recombiner.receive(data) {
        case .incomplete: break
        case .discarded(let reason): context.emit(.log("discarded data: \(reason)"))
        case .frame(let frame): receive(frame, &context)
        }
    }

    private mutating func receive(_ frame: L2CAPFrame, _ context: inout LinkContext) {
        switch frame.channel {
        case .att: receiveAttribute(frame.payload, &context)
        case .securityManager: receiveSecurity(frame.payload, &context)
        case .signaling:
            let conditions = channelConditions(context)
            let actions = logicalLink.receiveSignaling(
                frame.payload,
                under: conditions,
                now: context.now
            )
            perform(actions, &context)
            pump(&context)
        case let channel where channel.isDynamic:
            perform(logicalLink.receive(frame.payload, on: channel, now: context.now), &context)
            pump(&context)
        default:
            context.emit(.log("ignored a frame on channel \(frame.channel)"))
        }
    }

    private mutating func receiveAttribute(_ pdu: ArraySlice<UInt8>, _ context: inout LinkContext) {
        let received = bearer.att.receive(pdu)
        noteMTU(&context)
        if case .notification(let notification) = received {
            // The fast path, because notifications can arrive at a high rate.
            let isAnnounced = serving.isAnnounced
            valueReceived(notification.handle, notification.value, &context)
            // A notification causes nothing to be sent, so `pump` is unnecessary.
            if isAnnounced { return }
        } else if answerAtOnce(received, &context) {
            return
        } else {
            take(received, on: bearer.channel, &context)
        }
        pump(&context)
    }

    /// Handles a received PDU: passes a request or command to the server, a confirmation to the
    /// value that awaits it, and other PDUs to the client.
    mutating func take(
        _ received: ATTBearer.Received,
        on channel: ChannelIdentifier,
        _ context: inout LinkContext
    ) {
        switch received {
        case .request(let request), .command(let request):
            announce(&context)
            let source = identifier.bearer(channel)
            let actions = context.server.receive(request, on: source, now: context.now)
            perform(confirmWriteAtOnce(actions, &context), &context)
        case .confirmed(let id?): valueSent(id, &context)
        case .confirmed(nil), .answered, .ignored: break
        // This client gets the indications of all bearers, because it alone knows the handle of
        // Service Changed.
        case .indication: perform(bearer.take(received), &context)
        case .response, .failure, .notification, .multipleNotification, .violation:
            guard channel != .att else {
                return perform(bearer.take(received), &context)
            }
            guard let place = enhanced.index(of: channel) else { return }
            perform(enhanced[place].take(received), on: channel, &context)
        }
    }

    /// Delivers a value from the peer's server.
    mutating func valueReceived(
        _ attribute: AttributeHandle,
        _ value: ArraySlice<UInt8>,
        _ context: inout LinkContext
    ) {
        guard !awaitsEncryption else {
            let text = "dropped a value that arrived before encryption"
            return context.emit(.log("link \(identifier.rawValue): \(text)"))
        }
        announce(&context)
        context.emit(.event(.notified(identifier, attribute, value)))
    }
}
