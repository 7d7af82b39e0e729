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

    package init() {}
}
