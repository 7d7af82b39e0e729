// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// What our server has to say.
extension ATTBearer {
    /// Answers the peer's open request, with its response or an Error Response: the answer leaves
    /// before all else that waits. Does nothing if no request is open, as after the link's end.
    ///
    /// The answer must fit into the MTU: where it would not, the peer is told of an unlikely error
    /// instead of being sent what it cannot receive.
    package mutating func respond(_ pdu: ATT.PDU) {
        guard let request = openRequest else { return }
        openRequest = nil
        let bytes = pdu.encode()
        reply = bytes.count <= mtu ? Reply(bytes: bytes) : Reply(refusing: request, .unlikelyError)
    }

    /// Hands over a notification, of one value or of several, to send as soon as its turn comes:
    /// it is complete when it leaves. With no `id`, nobody is told.
    package mutating func notify(_ pdu: ATT.PDU, id: RequestID?) throws(BearerError) {
        precondition(pdu.opcode.isNotification, "\(pdu.opcode) is no notification")
        let count = notifications.count
        let element = try element(pdu, id, behind: count, limit: Self.notificationLimit)
        notifications.append(element)
    }

    /// Hands over an indication to send as soon as the one before it is confirmed. What becomes of
    /// it is told by `receive`, `deadlinePassed` or `close`, once, unless it is cancelled.
    package mutating func indicate(_ pdu: ATT.PDU, id: RequestID) throws(BearerError) {
        precondition(pdu.opcode == .handleValueIndication, "\(pdu.opcode) is no indication")
        let count = indications.count
        let element = try element(pdu, id, behind: count, limit: Self.indicationLimit)
        indications.append(element)
    }

    /// Whether another notification would be taken.
    package var hasRoomForNotification: Bool {
        !isClosed && notifications.count < Self.notificationLimit
    }

    /// Whether another indication would be taken.
    package var hasRoomForIndication: Bool {
        !isClosed && indications.count < Self.indicationLimit
    }
}

extension Reply {
    init(refusing opcode: ATT.Opcode, _ code: ATT.ErrorCode) {
        let error = ATT.ErrorResponse(requestOpcode: opcode, handle: .invalid, code: code)
        self.init(bytes: error.encode())
    }
}
