// SPDX-License-Identifier: Apache-2.0

/// A smoothed signal strength in dBm, without the fluctuation of single packets: an exponentially
/// weighted moving average. A packet of unknown strength changes nothing.
package struct SmoothedSignal: Hashable, Sendable {
    /// The weight of the latest packet.
    package static let weight = 0.3

    /// The average; `nil` before the first packet.
    package private(set) var value: Double?

    package init() {}

    /// Adds the signal strength of a packet.
    package mutating func fold(_ rssi: Int?) {
        guard let rssi else { return }
        let value = value ?? Double(rssi)
        self.value = value + Self.weight * (Double(rssi) - value)
    }
}
