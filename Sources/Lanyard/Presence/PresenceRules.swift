// SPDX-License-Identifier: Apache-2.0

/// The numbers by which presence is judged; the defaults are those that gateways have come to in years of
/// use, but for two: see `LearnedInterval`.
package struct PresenceRules: Hashable, Sendable {
    /// How much later than it ever was an advertisement may be, beside all.
    package var wobble = Duration.seconds(5)
    /// How long a device may be silent that is connectable, and whose interval is not known yet.
    package var connectableFallback = Duration.seconds(195)
    /// How long one may that is not connectable.
    package var beaconFallback = Duration.seconds(900)
    /// What is received so strongly, in dBm, is near.
    package var nearThreshold = -70.0
    /// How many decibels weaker it has to become to be far again.
    package var nearHysteresis = 16.0
    /// How many decibels a signal has to change to be worth telling.
    package var updateStep = 6.0
    /// How many devices are kept in mind.
    package var deviceLimit = 1024

    package init() {}

    /// How long a device may be silent.
    func patience(learned: Duration?, isConnectable: Bool) -> Duration {
        guard let learned else { return isConnectable ? connectableFallback : beaconFallback }
        return learned * 2 + wobble
    }
}
