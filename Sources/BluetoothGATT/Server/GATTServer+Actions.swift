// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATTServer {
    /// What is to be done, or to be told.
    package enum Action: Equatable, Sendable {
        /// Answer the bearer's open request with this.
        case respond(BearerID, ATT.PDU)
        /// The application has to decide; it calls `answer(_:with:now:)`.
        case ask(RequestID, Question)
        /// Something happened that the application may want to know.
        case told(ClientID, Report)
        /// Send an indication of the server's own; its confirmation is told by `confirmed(_:on:)`.
        case indicate(BearerID, ATT.HandleValueIndication)
        /// The record of a bonded client has changed, and is to be kept.
        case remember(ClientID, ClientMemory)
        /// The peer did something against the protocol: worth a line in a log.
        case violated(ClientID, String)
    }

    /// What an application is asked.
    package enum Question: Equatable, Sendable {
        /// The value of an attribute from `offset` on.
        case read(ClientID, AttributeHandle, offset: Int)
        /// Whether these values may be written, all or none. Where no answer is needed (a command)
        /// the question is told, and forgotten.
        case write(ClientID, [GATT.WriteEntry], needsAnswer: Bool)
    }

    /// What has happened.
    package enum Report: Equatable, Sendable {
        /// A client has written values that the server keeps.
        case written([GATT.WriteEntry])
        /// A client has subscribed to a characteristic's value, or, with nil, unsubscribed.
        case subscribed(AttributeHandle, GATT.SubscriptionKind?)
    }
}

extension GATT {
    /// A value, or a part of one, that a client writes.
    public struct WriteEntry: Hashable, Sendable {
        /// The attribute.
        public let handle: AttributeHandle
        /// Where in the value the octets go; zero replaces the value.
        public let offset: Int
        /// The octets; at most `GATT.valueLengthLimit`.
        public let value: [UInt8]

        /// Makes an entry.
        public init(handle: AttributeHandle, offset: Int = 0, value: [UInt8]) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }
    }
}
