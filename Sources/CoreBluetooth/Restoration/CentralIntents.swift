// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What an application wants of its central manager: all that another process needs to go on where
/// this one was killed.
struct CentralIntents: Hashable, Sendable {
    /// How many peers are remembered for one manager; those that were wished for last.
    static let peerLimit = 64

    /// A peer that the application is connected to, or wants to be.
    struct Peer: Hashable, Sendable {
        let identifier: PeerIdentifier
        /// What it is called, if that is known.
        var name: String?
        /// Whether the application asked for a new connection whenever one is lost.
        var reconnects = false
        /// What the application had discovered there; nil if it had not asked for services yet.
        var table: RememberedTable?
    }

    /// A scan, as the application asked for it: what it left out is nil.
    struct Scan: Hashable, Sendable {
        var services: [CBUUID.Form]?
        var allowsDuplicates: Bool?
        var solicitedServices: [CBUUID.Form]?
    }

    var peers: [Peer] = []
    var scan: Scan?

    /// Whether there is nothing to go on with.
    var isEmpty: Bool { peers.isEmpty && scan == nil }
}
