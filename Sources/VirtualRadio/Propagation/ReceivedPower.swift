// SPDX-License-Identifier: Apache-2.0

/// The power of a signal at a receiver.
package struct ReceivedPower: Hashable, Sendable {
    /// The power in dBm.
    package let decibels: Double
    /// The power in milliwatts. Powers in milliwatts can be added.
    package let milliwatts: Double

    /// Creates a power from a value in dBm.
    package init(decibels: Double) {
        self.decibels = decibels
        milliwatts = ReproducibleMath.ratio(decibels: decibels)
    }

    /// Returns the power of the same signal if it is sent weaker by `reduction` decibels.
    package func reduced(by reduction: Int16) -> ReceivedPower {
        reduction == 0 ? self : ReceivedPower(decibels: decibels - Double(reduction))
    }

    /// The absence of a signal.
    static let nothing = ReceivedPower(decibels: -.infinity)

    /// Whether there is a signal.
    var isReceived: Bool { decibels > -.infinity }
}

/// A cache of the powers between radios, in rows by receiver.
///
/// Only radios that listen have a row, so a thousand beacons around one scanner need a thousand
/// elements.
struct ReceivedPowerCache: Sendable {
    private var rows: [[ReceivedPower?]] = []

    /// The cached power of the sender at the receiver; `nil` if it is not cached.
    subscript(sender: RadioID, receiver: RadioID) -> ReceivedPower? {
        guard receiver.index < rows.count, sender.index < rows[receiver.index].count else {
            return nil
        }
        return rows[receiver.index][sender.index]
    }

    /// Caches a power, in a world whose radio numbers are below `stationCount`.
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

    /// Removes the powers from and to a radio, after a change of its station.
    mutating func forget(_ radio: RadioID) {
        if radio.index < rows.count { rows[radio.index] = [] }
        for row in rows.indices where radio.index < rows[row].count {
            rows[row][radio.index] = nil
        }
    }

    /// Empties the cache, after a change of the environment.
    mutating func forget() {
        if !rows.isEmpty { rows = [] }
    }
}
