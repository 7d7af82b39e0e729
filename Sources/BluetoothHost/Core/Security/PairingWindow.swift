// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The rule that decides whether peers may begin a pairing.
enum PairingWindow: Equatable, Sendable {
    case closed
    /// Open until this time or, with `nil`, until the application closes it.
    case open(until: Instant?)

    var isOpen: Bool { self != .closed }

    var nextDeadline: Instant? {
        if case .open(let end) = self { end } else { nil }
    }
}

extension HostCore {
    /// Lets peers begin a pairing. Also resets the limit of questions, because a person is present
    /// to open the window.
    ///
    /// - Parameter duration: The time until the window closes or, with `nil`, no limit.
    package mutating func openPairingWindow(for duration: Duration?, now: Instant) {
        context.attempts.allowQuestions()
        context.pairingWindow = .open(until: duration.map { now + $0 })
    }

    /// Refuses new pairings by peers. A pairing under way continues.
    package mutating func closePairingWindow() { context.pairingWindow = .closed }

    mutating func expirePairingWindow(now: Instant) {
        if let end = context.pairingWindow.nextDeadline, end <= now { closePairingWindow() }
    }
}
