// SPDX-License-Identifier: Apache-2.0

/// Who is around: discovery made two-way.
///
/// A scan says whom it hears, and never that it hears somebody no more. So for each device is learned how
/// long it is silent at most (`LearnedInterval`), and one that is silent for more than twice that, and five
/// seconds, is lost; until enough was heard, one is patient. Silence is measured in `ListeningTime`. A
/// device that is being connected to or is connected stops to advertise and is not lost; afterwards it
/// has a fresh chance.
///
/// After a loss all is learned anew: a device that has become slower is called lost once, not for ever.
///
/// Only scans that report every advertisement count as scans here. Of others, with each device reported
/// once, nothing can be learned.
package struct PresenceTracker: Sendable {
    private let rules: PresenceRules
    private var time = ListeningTime()
    private var lastStretch = Duration.zero
    private var tracked: [AccessoryIdentity: TrackedDevice] = [:]
    private var nextNumber = 0
    /// No device is lost before this, in listening time. Being heard puts a device's own deadline off, but
    /// not this: that would be a search for each advertisement.
    private var earliest: Duration?

    /// A tracker that knows nobody.
    package init(rules: PresenceRules = PresenceRules()) {
        self.rules = rules
    }

    /// Who is around, those that came first in front.
    package var devices: [PresentDevice] {
        tracked.values.sorted { $0.number < $1.number }.map(\.present)
    }

    /// What is known of one that is around.
    package func device(_ identity: AccessoryIdentity) -> PresentDevice? {
        tracked[identity]?.present
    }

    /// When `deadlinePassed` is to be called; nil while there is nobody to lose. It may be early.
    package var nextDeadline: Duration? {
        earliest.flatMap { time.instant(of: $0) }
    }

    // MARK: Scanning

    /// A scan that reports every advertisement began.
    package mutating func scanStarted(now: Duration) {
        guard time.begin(now: now) else { return }
        let instant = time.elapsed(at: now)
        for identity in tracked.keys {
            tracked[identity]?.resume(at: instant, lastStretch: lastStretch)
        }
    }

    /// It ended, or is interrupted.
    package mutating func scanStopped(now: Duration) {
        guard time.isRunning else { return }
        lastStretch = time.stretch(at: now)
        time.end(now: now)
    }

    /// A device was heard.
    package mutating func heard(
        _ sighting: Sighting,
        as identity: AccessoryIdentity,
        now: Duration
    ) -> [PresenceEvent] {
        let instant = time.elapsed(at: now)
        var events = makeRoom(for: identity)
        let isNew = tracked[identity] == nil
        var device = tracked[identity] ?? makeDevice(identity, at: instant)
        device.heard(sighting, at: instant)
        if device.isWorthTelling(rules) || isNew {
            let present = device.present
            events.append(isNew ? .discovered(present) : .updated(present))
        }
        keep(device, as: identity)
        return events
    }

    // MARK: Connecting

    /// A device that was just seen is being connected to. Not for a standing connect: it waits for a
    /// device that is not around.
    package mutating func connecting(_ identity: AccessoryIdentity, now: Duration) {
        tracked[identity]?.engage()
    }

    /// A device is connected, so it is around.
    package mutating func connected(
        _ identity: AccessoryIdentity,
        now: Duration
    ) -> [PresenceEvent] {
        var events = makeRoom(for: identity)
        let instant = time.elapsed(at: now)
        let known = tracked[identity]
        var device = known ?? makeDevice(identity, at: instant)
        device.engage()
        if known == nil { events.append(.discovered(device.present)) }
        keep(device, as: identity)
        return events
    }

    /// Its link ended, or the attempt to make one.
    package mutating func disconnected(_ identity: AccessoryIdentity, now: Duration) {
        guard var device = tracked[identity], device.isEngaged else { return }
        device.disengage(at: time.elapsed(at: now))
        keep(device, as: identity)
    }

    // MARK: Losing

    /// Says who is lost by now.
    package mutating func deadlinePassed(now: Duration) -> [PresenceEvent] {
        guard time.isRunning else { return [] }
        let instant = time.elapsed(at: now)
        guard let earliest, earliest <= instant else { return [] }
        let lost = tracked.values.filter { device in
            device.deadline(rules).map { $0 <= instant } ?? false
        }
        for device in lost { tracked[device.present.identity] = nil }
        self.earliest = tracked.values.lazy.compactMap { [rules] in $0.deadline(rules) }.min()
        return lost.sorted { $0.number < $1.number }.map { .lost($0.present, .silent) }
    }

    /// Nobody wants to hear of it any more.
    package mutating func forget(_ identity: AccessoryIdentity) {
        tracked[identity] = nil
    }

    /// Two that were taken for different devices are one: what is known of `identity` goes over.
    package mutating func merge(_ identity: AccessoryIdentity, into other: AccessoryIdentity) {
        guard var device = tracked.removeValue(forKey: identity) else { return }
        if tracked[other] == nil {
            device.present.identity = other
            tracked[other] = device
        } else if device.isEngaged {
            tracked[other]?.engage()
        }
    }

    private mutating func makeDevice(
        _ identity: AccessoryIdentity,
        at instant: Duration
    ) -> TrackedDevice {
        defer { nextNumber += 1 }
        return TrackedDevice(identity: identity, number: nextNumber, at: instant)
    }

    private mutating func keep(_ device: TrackedDevice, as identity: AccessoryIdentity) {
        tracked[identity] = device
        guard let deadline = device.deadline(rules) else { return }
        earliest = min(earliest ?? deadline, deadline)
    }

    /// Lets go of who was heard longest ago, if there are too many. Who is connected stays.
    private mutating func makeRoom(for identity: AccessoryIdentity) -> [PresenceEvent] {
        guard tracked.count >= rules.deviceLimit, tracked[identity] == nil else { return [] }
        let oldest = tracked.values.lazy.filter { !$0.isEngaged }
            .min { ($0.lastSign, $0.number) < ($1.lastSign, $1.number) }
        guard let oldest else { return [] }
        tracked[oldest.present.identity] = nil
        return [.lost(oldest.present, .displaced)]
    }
}
