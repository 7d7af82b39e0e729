// SPDX-License-Identifier: Apache-2.0

/// How strong a signal arrives.
package struct ReceivedPower: Hashable, Sendable {
    /// In dBm.
    package let decibels: Double
    /// In milliwatts, in which powers can be added.
    package let milliwatts: Double

    /// The power of so many dBm.
    package init(decibels: Double) {
        self.decibels = decibels
        milliwatts = Reproducible.ratio(decibels: decibels)
    }

    /// The power of the same signal if it is sent weaker by so many decibels.
    package func reduced(by reduction: Int16) -> ReceivedPower {
        reduction == 0 ? self : ReceivedPower(decibels: decibels - Double(reduction))
    }

    /// No signal.
    static let nothing = ReceivedPower(decibels: -.infinity)

    /// Whether there is a signal at all.
    var isHeard: Bool { decibels > -.infinity }
}

/// The powers between radios that were worked out already, in rows by receiver.
///
/// Only those who listen have a row, so a thousand beacons around one scanner take a thousand places.
struct KnownPowers: Sendable {
    private var rows: [[ReceivedPower?]] = []

    /// What is known of the way from one to the other.
    subscript(sender: RadioID, receiver: RadioID) -> ReceivedPower? {
        guard receiver.index < rows.count, sender.index < rows[receiver.index].count else {
            return nil
        }
        return rows[receiver.index][sender.index]
    }

    /// Remembers it, in a world that counts radios below `stationCount`.
    mutating func remember(
        _ power: ReceivedPower,
        from sender: RadioID,
        to receiver: RadioID,
        stationCount: Int
    ) {
        guard sender.index < stationCount, receiver.index < stationCount else { return }
        while rows.count <= receiver.index { rows.append([]) }
        if rows[receiver.index].count <= sender.index {
            let missing = stationCount - rows[receiver.index].count
            rows[receiver.index].append(contentsOf: repeatElement(nil, count: missing))
        }
        rows[receiver.index][sender.index] = power
    }

    /// Something has changed: nothing is known any more.
    mutating func forget() {
        if !rows.isEmpty { rows = [] }
    }
}
