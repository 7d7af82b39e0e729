// SPDX-License-Identifier: Apache-2.0

/// The only advertisement of a device that was received once and then lost. Both times are in
/// listening time (``ListeningTime``).
///
/// If the device advertises again by ``end``, the silence between the two advertisements counts as
/// its first gap. So a device that advertises every few minutes is lost once, and not again and
/// again.
struct SingleAdvertisement: Hashable, Sendable {
    /// The time of the advertisement.
    let instant: Duration
    /// The latest time at which a second advertisement still counts as the end of the first gap.
    let end: Duration
}

/// The tracker's entry for one present device.
struct TrackedDevice {
    /// The position in the order of discovery, which is also the order of simultaneous events.
    let number: Int
    var present: PresentDevice
    private var signal = SmoothedSignal()
    private var interval = LearnedInterval()
    private var reportedSignal: Double?
    private var isConnectable = true
    /// Whether the device is connected or being connected. It is not lost during that time, because
    /// it may stop advertising.
    private(set) var isConnected = false
    /// The start of the current silence, in listening time: the latest advertisement or the end of
    /// the latest link, whichever was later. ``resume(at:lastStretch:)`` moves it to a later time.
    private(set) var silenceStart: Duration
    /// The start of the current gap: the latest advertisement, in listening time. `nil` before the
    /// first advertisement, and if a link or a break of the scan followed the latest one, because
    /// that silence is not a gap.
    private var gapStart: Duration?
    /// The earliest time at which the device can be lost after its latest link, in listening time
    /// (`PresenceOptions.grace`); `nil` if it has advertised since then, or had no link.
    private var graceEnd: Duration?
    private var reportedName: String?

    init(identity: AccessoryIdentity, number: Int, at instant: Duration) {
        self.number = number
        present = PresentDevice(identity: identity, proximity: .far)
        silenceStart = instant
    }

    /// Returns the time at which the device counts as lost, in listening time; `nil` while it is
    /// connected or being connected.
    func deadline(_ rules: PresenceRules) -> Duration? {
        guard !isConnected else { return nil }
        let permittedSilence = rules.permittedSilence(
            learned: present.learnedInterval,
            longestGap: interval.longestGap
        )
        return max(silenceStart + permittedSilence, graceEnd ?? silenceStart)
    }

    /// Returns the only advertisement of the device. Returns `nil` if a gap is known already, or if
    /// no gap has begun (``gapStart``).
    func singleAdvertisement(_ rules: PresenceRules) -> SingleAdvertisement? {
        guard interval.longestGap == nil, let gapStart else { return nil }
        let limit = rules.firstGapLimit(isConnectable: isConnectable)
        return SingleAdvertisement(instant: gapStart, end: gapStart + limit)
    }

    /// Continues the gap that began before the device was lost, so that the next advertisement ends
    /// this gap.
    mutating func resume(after advertisement: SingleAdvertisement) {
        gapStart = advertisement.instant
    }

    /// Handles an advertisement.
    mutating func received(_ discovery: Discovery, at instant: Duration) {
        present.discovery = discovery
        present.name = discovery.name ?? present.name
        graceEnd = nil
        isConnectable = discovery.isConnectable
        signal.fold(discovery.rssi)
        present.signal = signal.value
        if let gapStart { learn(instant - gapStart) }
        gapStart = instant
        silenceStart = instant
    }

    private mutating func learn(_ gap: Duration) {
        interval.learn(gap)
        present.learnedInterval = interval.value
    }

    /// Records that the device is connected or being connected, and may stop advertising.
    mutating func connectionBegan() {
        isConnected = true
        gapStart = nil
    }

    /// Records that the device is no longer connected. It gets the full permitted silence, and at
    /// least the grace period, to advertise again.
    mutating func connectionEnded(at instant: Duration, grace: Duration) {
        isConnected = false
        gapStart = nil
        graceEnd = instant + grace
        silenceStart = max(silenceStart, instant)
    }

    /// Handles the start of a scan after a break. The current gap ends without being learned,
    /// because the device may have advertised during the break.
    ///
    /// The next advertisement may have been due shortly after the previous scan ended. So the
    /// silence before the break counts less: its start moves later by the learned interval, but at
    /// most by half of the duration of the previous scan, and not beyond the present.
    mutating func resume(at instant: Duration, lastStretch: Duration) {
        gapStart = nil
        let credit = min(present.learnedInterval ?? .zero, lastStretch / 2)
        silenceStart = min(instant, silenceStart + credit)
    }

    // MARK: Reports

    /// Returns whether the device has changed enough for an event.
    mutating func mustReport(_ rules: PresenceRules) -> Bool {
        let hasName = updateName()
        let hasMoved = updateProximity(rules)
        guard let signal = signal.value else { return hasMoved || hasName }
        guard let reportedSignal, abs(signal - reportedSignal) < rules.updateStep, !hasMoved else {
            reportedSignal = signal
            return true
        }
        return hasName
    }

    private mutating func updateName() -> Bool {
        defer { reportedName = present.name }
        return reportedName != present.name
    }

    private mutating func updateProximity(_ rules: PresenceRules) -> Bool {
        guard let signal = signal.value else { return false }
        let threshold =
            present.proximity == .near
            ? rules.nearThreshold - rules.nearHysteresis : rules.nearThreshold
        let proximity: PresentDevice.Proximity = signal >= threshold ? .near : .far
        defer { present.proximity = proximity }
        return proximity != present.proximity
    }
}
