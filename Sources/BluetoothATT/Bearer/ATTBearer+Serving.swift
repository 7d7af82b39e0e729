// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// PDUs of the local server.
extension ATTBearer {
    /// Enqueues the response or Error Response to the peer's open request. Of all waiting PDUs,
    /// only a confirmation is sent before it.
    ///
    /// Does nothing if no request is open, for example after the end of the link. If the response
    /// does not fit into the MTU, the peer gets the error Unlikely Error instead.
    package mutating func respond(_ pdu: ATT.PDU) {
        guard let request = openRequest else { return }
        openRequest = nil
        let bytes = pdu.encode()
        reply = bytes.count <= mtu ? Reply(bytes: bytes) : Reply(refusing: request, .unlikelyError)
    }

    /// Records that the caller has sent the response to the peer's open request itself. The caller
    /// may do so only if no confirmation waits to be sent before it.
    package mutating func answeredAtOnce() {
        openRequest = nil
    }

    /// Enqueues a notification of one or several values, which is complete when it is sent. If `id`
    /// is `nil`, its completion is not reported. The bearer truncates a PDU that does not fit into
    /// the MTU when it is sent (Vol 3, Part F, 3.4.7).
    package mutating func notify(_ pdu: ATT.PDU, id: RequestID?) throws(BearerError) {
        precondition(pdu.opcode.isNotification, "\(pdu.opcode) is not a notification")
        let count = notifications.count
        let element = try element(pdu, id, behind: count, limit: Self.notificationLimit)
        notifications.append(element)
    }

    /// Enqueues an indication, which is sent once the previous one is confirmed, and truncated as a
    /// notification is.
    ///
    /// `receive`, `deadlinePassed` or `close` reports its result exactly once, unless the
    /// indication is canceled.
    package mutating func indicate(_ pdu: ATT.PDU, id: RequestID) throws(BearerError) {
        precondition(pdu.opcode == .handleValueIndication, "\(pdu.opcode) is not an indication")
        let count = indications.count
        let element = try element(pdu, id, behind: count, limit: Self.indicationLimit)
        indications.append(element)
    }

    /// Whether the bearer would accept another notification.
    package var hasRoomForNotification: Bool {
        !isClosed && notifications.count < Self.notificationLimit
    }

    /// Whether the bearer would accept another indication.
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
