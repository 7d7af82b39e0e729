// SPDX-License-Identifier: Apache-2.0

/// What is known of one device that is around.
struct TrackedDevice {
    /// The order in which devices came: what happens to several at once happens in it.
    let number: Int
    var present: PresentDevice
    private var signal = SmoothedSignal()
    private var interval = LearnedInterval()
    private var toldSignal: Double?
    private var isConnectable = true
    /// Whether it is being connected to, or is connected: then silence means nothing.
    private(set) var isEngaged = false
    /// When it was heard last, or was given a fresh chance, in listening time.
    private(set) var lastSign: Duration
    /// When it was heard last, if nothing since would explain a gap.
    private var gapStart: Duration?

    init(identity: AccessoryIdentity, number: Int, at instant: Duration) {
        self.number = number
        present = PresentDevice(identity: identity, proximity: .far)
        lastSign = instant
    }

    /// When it will count as lost, in listening time; nil while it is engaged.
    func deadline(_ rules: PresenceRules) -> Duration? {
        guard !isEngaged else { return nil }
        let learned = present.learnedInterval
        return lastSign + rules.patience(learned: learned, isConnectable: isConnectable)
    }

    /// It was heard.
    mutating func heard(_ sighting: Sighting, at instant: Duration) {
        present.sighting = sighting
        isConnectable = sighting.isConnectable
        signal.fold(sighting.rssi)
        present.signal = signal.value
        if let gapStart { learn(instant - gapStart) }
        gapStart = instant
        lastSign = instant
    }

    private mutating func learn(_ gap: Duration) {
        interval.learn(gap)
        present.learnedInterval = interval.value
    }

    /// It is being connected to, or connected, and may fall silent.
    mutating func engage() {
        isEngaged = true
        gapStart = nil
    }

    /// It is not connected any more, and has all the time that it ever took to advertise again.
    mutating func disengage(at instant: Duration) {
        isEngaged = false
        gapStart = nil
        lastSign = max(lastSign, instant)
    }

    /// Listening went on after a break, which says nothing of gaps. Nor does the time until the next
    /// advertisement was due anyway; of a scan that comes in short stretches, half of the last one.
    mutating func resume(at instant: Duration, lastStretch: Duration) {
        gapStart = nil
        let credit = min(present.learnedInterval ?? .zero, lastStretch / 2)
        lastSign = min(instant, lastSign + credit)
    }

    // MARK: Telling

    /// Whether it changed enough to be told.
    mutating func isWorthTelling(_ rules: PresenceRules) -> Bool {
        let hasMoved = updateProximity(rules)
        guard let signal = signal.value else { return hasMoved }
        guard let toldSignal, abs(signal - toldSignal) < rules.updateStep, !hasMoved else {
            toldSignal = signal
            return true
        }
        return false
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
