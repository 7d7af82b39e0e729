// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// An instruction or a report to the owner.
    package enum Action: Equatable, Sendable {
        /// Send this response to the bearer's open request.
        case respond(BearerID, ATT.PDU)
        /// Ask the application, which must call `answer(_:_:at:now:)` unless the question needs no
        /// answer.
        case ask(RequestID, Question)
        /// Report an event that may concern the application.
        case report(ClientID, Report)
        /// Send an indication of the server itself. Its confirmation must be passed to
        /// `confirmed(_:on:)`.
        case indicate(BearerID, ATT.HandleValueIndication)
        /// Store the record of a bonded client, which has changed.
        case remember(ClientID, ClientRecord)
        /// Log a violation of the protocol by the client.
        case violated(ClientID, String)
    }

    /// A question to the application.
    package enum Question: Equatable, Sendable {
        /// A request for the value of an attribute from `offset`.
        case read(ClientID, AttributeHandle, offset: Int)
        /// A request to write all of these values or none. If `needsAnswer` is `false`, the client
        /// sent a command, and no answer is necessary.
        case write(ClientID, [GATT.WriteEntry], needsAnswer: Bool)
    }

    /// An event that may concern the application.
    package enum Report: Equatable, Sendable {
        /// A client wrote values in the database.
        case written([GATT.WriteEntry])
        /// A client subscribed to a characteristic's value, or, if the kind is `nil`, ended its
        /// subscription.
        case subscribed(AttributeHandle, GATT.SubscriptionKind?)
    }
}

extension GATT {
    /// A value or a part of one that a client writes.
    public struct WriteEntry: Hashable, Sendable {
        /// The handle of the attribute.
        public let handle: AttributeHandle
        /// The offset in the value at which the bytes are written. Zero replaces the value.
        public let offset: Int
        /// The bytes, at most `GATT.valueLengthLimit`.
        public let value: [UInt8]

        /// Creates an entry.
        public init(handle: AttributeHandle, offset: Int = 0, value: [UInt8]) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }
    }
}
