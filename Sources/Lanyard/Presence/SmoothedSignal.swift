// SPDX-License-Identifier: Apache-2.0

/// How strongly a device is received, in dBm, without the flicker of single packets: an exponentially
/// weighted moving average. A packet whose strength is not known changes nothing.
package struct SmoothedSignal: Hashable, Sendable {
    /// What weight the latest packet has.
    package static let weight = 0.3

    /// The average; nil before the first packet.
    package private(set) var value: Double?

    package init() {}

    /// A packet was received, so strongly.
    package mutating func fold(_ rssi: Int?) {
        guard let rssi else { return }
        let value = value ?? Double(rssi)
        self.value = value + Self.weight * (Double(rssi) - value)
    }
}
