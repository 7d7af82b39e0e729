// SPDX-License-Identifier: Apache-2.0

/// The thresholds of presence. The defaults come from years of use in gateways, except two: see
/// `LearnedInterval`.
package struct PresenceRules: Hashable, Sendable {
    /// The additional tolerance for a late advertisement.
    package var wobble = Duration.seconds(5)
    /// The permitted silence of a connectable device whose interval is not yet known.
    package var connectableFallback = Duration.seconds(195)
    /// The permitted silence of a device that is not connectable and whose interval is not yet
    /// known.
    package var beaconFallback = Duration.seconds(900)
    /// The signal strength from which a device is near, in dBm.
    package var nearThreshold = -70.0
    /// The decibels by which the signal must fall below the threshold before the device is far
    /// again.
    package var nearHysteresis = 16.0
    /// The change of the signal, in decibels, that is worth an event.
    package var updateStep = 6.0
    /// The maximum number of tracked devices.
    package var deviceLimit = 1024

    package init() {}

    /// Returns the permitted silence of a device.
    func patience(learned: Duration?, isConnectable: Bool) -> Duration {
        guard let learned else { return isConnectable ? connectableFallback : beaconFallback }
        return learned * 2 + wobble
    }
}
