// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The presumed state of the controller's only initiator (Vol 4, Part E, 7.8.12).
enum Initiation: Sendable, Equatable {
    case idle
    /// LE Create Connection is outstanding.
    case starting(ConnectQueue.Turn)
    /// The controller listens for the devices of the turn.
    case running(ConnectQueue.Turn, since: Instant)
    /// LE Create Connection Cancel is outstanding. Without a turn, the controller may be initiating
    /// although no turn is in progress.
    case cancelling(ConnectQueue.Turn?)
    /// The cancel was accepted, and the event that ends the initiation is missing: a connection
    /// that was just being established, or Unknown Connection Identifier.
    case awaitingEnd(ConnectQueue.Turn?, until: Instant)
    /// The controller may be initiating and has to be stopped. With a turn, it did not answer the
    /// cancel of this turn. Without a turn, it did not answer LE Create Connection, or it refused
    /// an operation as if it were initiating.
    case stale(ConnectQueue.Turn?)

    var isIdle: Bool { self == .idle }

    /// The turn for which the controller may still establish a connection.
    var turn: ConnectQueue.Turn? {
        switch self {
        case .starting(let turn), .running(let turn, _): turn
        case .cancelling(let turn), .awaitingEnd(let turn, _), .stale(let turn): turn
        case .idle: nil
        }
    }
}

/// The part of the host that has the radio, the scanner or the initiator, if the controller cannot
/// scan and initiate at once.
struct RadioShare: Sendable {
    enum Holder: Sendable {
        case scanner, initiator
    }

    var holder = Holder.initiator

    /// The time at which the holder became active, or `nil` before that. The time of its commands
    /// does not count, so that the scanner and the initiator get their slices on a slow controller.
    var since: Instant?

    mutating func pass() {
        self = RadioShare(holder: holder == .scanner ? .initiator : .scanner)
    }

    mutating func give(to newHolder: Holder) {
        if holder != newHolder { self = RadioShare(holder: newHolder) }
    }
}
