// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// What the core knows of one link as a server.
struct LinkServing: Sendable {
    /// A PDU that waits for room in the bearer.
    struct Waiting: Sendable {
        let pdu: ATT.PDU
        let kind: GATT.SubscriptionKind
        /// The request, or an operation of our own that is a part of one.
        let id: UInt64
    }

    /// How many PDUs wait for room in the bearer; one more is refused.
    static let waitingLimit = 4_096

    /// Whether the application has been told of the link.
    var isAnnounced = false
    /// Whether what is kept of the client has been asked for.
    var isRecalled = false
    /// What the server was told last.
    var mtu = ATT.defaultMTU
    /// What did not fit into the bearer's queues yet, in the order of the calls.
    var waiting = WaitingValues()
    /// For which kinds of values somebody is to be told when there is room.
    var awaitedRoom: Set<GATT.SubscriptionKind> = []
    /// Indications of the server's own that are not confirmed yet, by the identifier that they have
    /// in the bearer.
    var ownIndications: [UInt64: AttributeHandle] = [:]
    /// Requests that take several PDUs: whose a PDU is, and how many of each are still to be sent.
    var parts: [UInt64: RequestIdentifier] = [:]
    var partCounts: [RequestIdentifier: Int] = [:]
}
