// SPDX-License-Identifier: Apache-2.0

/// The thresholds of presence.
package struct PresenceRules: Hashable, Sendable {
    /// The options of the app.
    package var options = PresenceOptions()
    /// The additional tolerance for a late advertisement.
    package var lateTolerance = Duration.seconds(5)
    /// The gap that is assumed before the first one is known: the longest interval of legacy
    /// advertising with its random delay (Vol 6, Part B, 4.4.2.2).
    package var assumedGap = Duration.milliseconds(10_250)
    /// The maximum silence after the only advertisement of a connectable device that the tracker
    /// learns as the first gap, although the device counted as lost meanwhile.
    package var firstGapLimitConnectable = Duration.seconds(195)
    /// The same maximum for a device that is not connectable, such as a sensor that sleeps for
    /// minutes.
    package var firstGapLimitNonConnectable = Duration.seconds(900)
    /// The signal strength from which a device is near, in dBm.
    package var nearThreshold = -70.0
    /// The decibels by which the signal must fall below the threshold before the device is far
    /// again.
    package var nearHysteresis = 16.0
    /// The change of the signal, in decibels, that causes an event.
    package var updateStep = 6.0
    /// The maximum number of tracked devices.
    package var deviceLimit = 1024

    /// Creates the default thresholds with these options.
    package init(_ options: PresenceOptions = PresenceOptions()) {
        self.options = options
    }

    /// Returns the permitted silence of a device.
    ///
    /// - Parameters:
    ///   - learned: The learned maximum silence; `nil` until it is known.
    ///   - longestGap: The longest gap so far; `nil` before the first one. The first few gaps may
    ///     contain no lost packet. Until the maximum silence is learned, the permitted silence is
    ///     therefore three times the longest gap instead of twice.
    func permittedSilence(learned: Duration?, longestGap: Duration?) -> Duration {
        if case .fixed(let silence) = options.silence { return silence }
        if let learned { return learned * 2 + lateTolerance }
        return (longestGap ?? assumedGap) * 3 + lateTolerance
    }

    /// Returns the maximum first gap of a device: ``firstGapLimitConnectable`` or
    /// ``firstGapLimitNonConnectable``.
    func firstGapLimit(isConnectable: Bool) -> Duration {
        isConnectable ? firstGapLimitConnectable : firstGapLimitNonConnectable
    }

    /// Returns whether a packet is strong enough to count.
    func counts(_ rssi: Int?) -> Bool {
        guard let minimum = options.minimumSignal else { return true }
        return rssi.map { $0 >= minimum } ?? false
    }
}
