// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The server of a host: one table of attributes, and what it knows of each client that is
/// connected.
package struct GATTServer: Sendable {
    /// Names a client for as long as it is connected: whoever owns the server chooses.
    package struct ClientID: Hashable, Sendable {
        package let rawValue: UInt64

        package init(rawValue: UInt64) {
            self.rawValue = rawValue
        }
    }

    /// Names one of a client's bearers: the L2CAP channel that it is on.
    package struct BearerID: Hashable, Sendable {
        package let client: ClientID
        package let channel: UInt16

        package init(client: ClientID, channel: UInt16) {
            self.client = client
            self.channel = channel
        }
    }

    /// Names a question that the application has to answer.
    package typealias RequestID = UInt64

    package internal(set) var database = AttributeDatabase()

    /// The services that every server has.
    var core = CoreServices()

    /// The value of Service Changed; nil where the application's own Generic Attribute has none.
    var serviceChangedHandle: AttributeHandle?

    /// Whether a client has been here, who may have learned the table.
    var hasBeenSeen = false

    /// What is known of each client that is connected.
    var clients: [ClientID: Client] = [:]

    /// The requests that wait for the application, one on a bearer at most.
    var pending: [BearerID: PendingRequest] = [:]

    /// The writes that wait to be executed. Each bearer has a queue of its own.
    var prepared: [BearerID: PreparedWrites] = [:]

    var nextRequestID: RequestID = 1

    /// Makes a server with nothing but the services that every server has.
    package init() {
        addCoreServices()
    }
}
