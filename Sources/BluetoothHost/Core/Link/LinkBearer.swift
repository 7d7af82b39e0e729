// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothL2CAP
import BluetoothTypes

/// A bearer of a link with the client that uses it: the bearer of the fixed channel, which every
/// link has, or an Enhanced ATT bearer.
///
/// The bearer sends the PDUs of the client and of this host's server. The link passes received PDUs
/// for the client to `take(_:)`, and all others to the server.
struct LinkBearer: Sendable {
    let channel: ChannelIdentifier
    var att: ATTBearer
    var client: GATTClient
    /// The number of operations under way on an enhanced bearer.
    var load = 0

    /// Creates the bearer of the fixed channel.
    init(receiveMTULimit: Int) {
        channel = .att
        att = ATTBearer(receiveMTULimit: receiveMTULimit)
        client = GATTClient()
    }

    /// Creates an enhanced bearer, whose channel has negotiated the MTU (Vol 3, Part G, 5.3.1).
    init(channel: ChannelIdentifier, enhancedMTU mtu: Int) {
        self.channel = channel
        att = ATTBearer(enhancedMTU: mtu)
        client = GATTClient(exchangesMTU: false)
    }

    /// Whether the client accepts another operation.
    var hasRoom: Bool { client.hasRoom(on: att) }

    mutating func start(_ operation: GATT.Operation, id: UInt64) -> [GATTClient.Action] {
        client.start(operation, id: id, on: &att)
    }

    /// Ends an operation of the client whose request was canceled.
    mutating func cancel(_ id: UInt64) -> [GATTClient.Action] {
        client.cancel(id, on: &att)
    }

    /// Passes a received PDU to the client.
    mutating func take(_ received: ATTBearer.Received) -> [GATTClient.Action] {
        client.receive(received, on: &att)
    }

    /// Returns the client's actions after a command was sent, or `nil` if the client did not send
    /// it.
    mutating func commandSent(_ id: UInt64) -> [GATTClient.Action]? {
        client.commandSent(id, on: &att)
    }

    /// Fails the unsent operations that use handles of a database that has changed.
    mutating func failOutOfSync() -> [GATTClient.Action] {
        client.failOutOfSync(on: &att)
    }

    /// The operations and values that ended with the bearer.
    struct Ended {
        let operations: [GATTClient.Action]
        /// The server's values that were not sent, or not confirmed.
        let values: [UInt64]
    }

    /// Closes the bearer, because the link or the channel has ended.
    mutating func close() -> Ended { end(att.close(), .bearerClosed) }

    /// Closes the bearer if the peer has not answered a request or an indication in time (Vol 3,
    /// Part F, 3.3.3). Returns `nil` if there is time left.
    mutating func expire(now: Instant) -> Ended? {
        guard !att.isClosed else { return nil }
        let unanswered = att.deadlinePassed(now: now)
        return att.isClosed ? end(unanswered, .timedOut) : nil
    }

    private mutating func end(_ unanswered: [UInt64], _ failure: GATT.Failure) -> Ended {
        let values = unanswered.filter { !client.isRunning($0) }
        return Ended(operations: client.end(unanswered, failure), values: values)
    }
}
