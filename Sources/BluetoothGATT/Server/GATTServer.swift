// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The GATT server of a host: one database of attributes, and a record for each connected client.
package struct GATTServer: Sendable {
    /// The identifier of a client while it is connected. The owner of the server chooses it.
    package struct ClientID: Hashable, Sendable {
        package let rawValue: UInt64

        package init(rawValue: UInt64) {
            self.rawValue = rawValue
        }
    }

    /// The identifier of one of a client's bearers, with the L2CAP channel of the bearer.
    package struct BearerID: Hashable, Sendable {
        package let client: ClientID
        package let channel: UInt16

        package init(client: ClientID, channel: UInt16) {
            self.client = client
            self.channel = channel
        }
    }

    /// The identifier of a request that waits for the application.
    package typealias RequestID = UInt64

    package internal(set) var database = AttributeDatabase() {
        didSet { revision += 1 }
    }

    var core = CoreServices()

    /// The handle of the Service Changed value, or `nil` if the application's own Generic Attribute
    /// has none.
    var serviceChangedHandle: AttributeHandle?

    /// Whether a client has connected, which may have discovered the database.
    var hasBeenSeen = false

    var clients = ClientTable() {
        didSet { revision += 1 }
    }

    /// A number that increases with every change of the database or of a client. A `SendingGrant`
    /// and a `ReadingGrant` are valid for one revision.
    private(set) var revision: UInt64 = 0

    /// The requests that wait for the application, at most one on each bearer.
    var pending: [BearerID: PendingRequest] = [:]

    /// The prepared writes. A client has one queue for all its bearers (Vol 3, Part F, 3.4.6).
    var prepared: [ClientID: PreparedWrites] = [:]

    var nextRequestID: RequestID = 1

    /// Creates a server with only the services that every server has.
    ///
    /// - Parameter isPrivate: Whether the device uses private addresses, so that the server has a
    ///   Central Address Resolution characteristic. Its value is 0 until
    ///   `setResolvesAddresses(_:)`.
    package init(isPrivate: Bool = false) {
        if isPrivate { core.resolvesAddresses = false }
        addCoreServices()
    }
}
