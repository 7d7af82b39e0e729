// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

// The bearer carries the host's server as well: what that has to say passes through here.
extension GATTClient {
    /// Answers the peer's open request; does nothing if none is open.
    package mutating func respond(_ pdu: ATT.PDU) {
        bearer.respond(pdu)
    }

    /// Hands over a notification, of one value or of several. With an `id`, `.left` tells when it
    /// has left, or `.completed` with a failure that it never will.
    package mutating func notify(
        _ pdu: ATT.PDU,
        id: OperationID?
    ) throws(ATTBearer.BearerError) {
        try bearer.notify(pdu, id: id)
    }

    /// Hands over an indication. `.confirmed` tells when the peer has it, or `.completed` with a
    /// failure that it never will.
    package mutating func indicate(
        _ pdu: ATT.PDU,
        id: OperationID
    ) throws(ATTBearer.BearerError) {
        try bearer.indicate(pdu, id: id)
    }

    /// Nobody waits any more for this notification or indication: one that has not left never
    /// will, and of one that has left nothing is told.
    package mutating func withdraw(_ id: OperationID) {
        bearer.cancel(id)
    }

    /// Whether another notification would be taken.
    package var hasRoomForNotification: Bool { bearer.hasRoomForNotification }

    /// Whether another indication would be taken.
    package var hasRoomForIndication: Bool { bearer.hasRoomForIndication }
}
