// SPDX-License-Identifier: Apache-2.0

/// The only advertisement that was received from a device before it counted as lost, in listening
/// time.
struct OnlySign: Hashable, Sendable {
    /// The time of the advertisement.
    let instant: Duration
    /// The latest time at which another advertisement ends the device's first gap.
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
    /// Whether the device is connected or being connected. In this state, its silence does not
    /// count.
    private(set) var isConnected = false
    /// The time from which the current silence counts, in listening time: that of the latest
    /// advertisement or of the end of a link, with the credit of `resume(at:lastStretch:)`.
    private(set) var lastSign: Duration
    /// The time of the latest advertisement; `nil` if a link or a break of the scan since then
    /// explains a gap.
    private var gapStart: Duration?
    /// The end of the grace period after a link, in listening time; `nil` if none is running.
    private var graceEnd: Duration?
    private var reportedName: String?

    init(identity: AccessoryIdentity, number: Int, at instant: Duration) {
        self.number = number
        present = PresentDevice(identity: identity, proximity: .far)
        lastSign = instant
    }

    /// Returns the time at which the device counts as lost, in listening time; `nil` while it is
    /// connected or being connected.
    func deadline(_ rules: PresenceRules) -> Duration? {
        guard !isConnected else { return nil }
        let permittedSilence = rules.permittedSilence(
            learned: present.learnedInterval,
            longestGap: interval.longestGap
        )
        return max(lastSign + permittedSilence, graceEnd ?? lastSign)
    }

    /// Returns the only advertisement of the device: its time, and the latest time of the next one
    /// that counts as its first gap; `nil` if there was another one, or none that begins a gap.
    func onlySign(_ rules: PresenceRules) -> OnlySign? {
        guard interval.longestGap == nil, let gapStart else { return nil }
        let limit = rules.returnLimit(isConnectable: isConnectable)
        return OnlySign(instant: gapStart, end: gapStart + limit)
    }

    /// Continues the gap that began with an advertisement before the device counted as lost.
    mutating func resume(after sign: OnlySign) { gapStart = sign.instant }

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
        lastSign = instant
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
        lastSign = max(lastSign, instant)
    }

    /// Handles the resumption of a scan after a break, which makes the current gap meaningless. The
    /// device also gets a credit for the time until its next advertisement was due: its learned
    /// interval, but at most half of the duration of the last scan.
    mutating func resume(at instant: Duration, lastStretch: Duration) {
        gapStart = nil
        let credit = min(present.learnedInterval ?? .zero, lastStretch / 2)
        lastSign = min(instant, lastSign + credit)
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
