// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What the controller's initiator is believed to do. There is only one (Vol 4, Part E, 7.8.12).
enum Initiation: Sendable, Equatable {
    case idle
    /// LE Create Connection is on its way.
    case starting(ConnectQueue.Turn)
    /// The controller listens for the members of the turn.
    case running(ConnectQueue.Turn, since: Instant)
    /// LE Create Connection Cancel is on its way. Without a turn: the controller seems to initiate
    /// something that we know nothing of.
    case cancelling(ConnectQueue.Turn?)
    /// The cancel was accepted; the event that ends the initiation has yet to come: either a
    /// connection that was just being made, or Unknown Connection Identifier.
    case awaitingEnd(ConnectQueue.Turn?, until: Instant)
    /// The controller says that it initiates already, which we know nothing of: cancel that.
    case stale

    var isIdle: Bool { self == .idle }

    /// Those for whom the controller may still make a connection.
    var turn: ConnectQueue.Turn? {
        switch self {
        case .starting(let turn), .running(let turn, _): turn
        case .cancelling(let turn), .awaitingEnd(let turn, _): turn
        case .idle, .stale: nil
        }
    }
}

/// Whose time it is on the radio, where scanning and initiating exclude each other.
struct RadioShare: Sendable {
    enum Holder: Sendable {
        case scanner, initiator
    }

    var holder = Holder.initiator

    /// Since when the holder has really been active; nil: not yet. Time that commands take on
    /// their way does not count, so that a slow controller starves nobody.
    var since: Instant?

    mutating func pass() {
        self = RadioShare(holder: holder == .scanner ? .initiator : .scanner)
    }

    mutating func give(to newHolder: Holder) {
        if holder != newHolder { self = RadioShare(holder: newHolder) }
    }
}
