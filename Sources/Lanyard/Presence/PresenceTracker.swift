// SPDX-License-Identifier: Apache-2.0

/// A tracker of the presence of devices, which reports disappearances as well as discoveries.
///
/// A scan reports the devices that it receives, but not the end of reception. The tracker learns
/// the longest gap of each device (`LearnedInterval`). A device that is silent for more than twice
/// that gap and 5 seconds is lost. With fewer than 16 gaps, the limit is three times the longest
/// gap and 5 seconds. Before the first gap, the tracker assumes the longest advertising interval.
/// `PresenceOptions` can fix the limit instead. Silence is measured in listening time
/// (`ListeningTime`). A device that is connected or being connected may stop advertising and is not
/// lost. When the link or the attempt ends, its silence starts at zero.
///
/// After a loss the tracker learns the interval of the device again. A device that was received
/// once, was lost, and returns within minutes probably advertises that slowly. The tracker
/// therefore learns this silence as the first gap of the device (`SingleAdvertisement`). Otherwise
/// a slow device would count as lost again and again.
///
/// Only scans that report every advertisement count. A scan that reports each device once does not
/// reveal gaps.
package struct PresenceTracker: Sendable {
    private let rules: PresenceRules
    private var time = ListeningTime()
    private var lastStretch = Duration.zero
    private var tracked: [AccessoryIdentity: TrackedDevice] = [:]
    private var nextNumber = 0
    /// The advertisements of lost devices that were received once, at most `deviceLimit`.
    private var receivedOnce: [AccessoryIdentity: SingleAdvertisement] = [:]
    /// The earliest time at which a device can be lost, in listening time. An advertisement
    /// postpones the device's own deadline but not this one, because that would require a search
    /// for each advertisement.
    private var earliest: Duration?

    /// Creates a tracker without devices.
    package init(rules: PresenceRules = PresenceRules()) {
        self.rules = rules
    }

    /// The present devices, in the order of their discovery.
    package var devices: [PresentDevice] {
        tracked.values.sorted { $0.number < $1.number }.map(\.present)
    }

    /// Returns a present device.
    package func device(_ identity: AccessoryIdentity) -> PresentDevice? {
        tracked[identity]?.present
    }

    /// The time at which `deadlinePassed` must be called; `nil` if no device can be lost. A call
    /// may come too early, and then has no effect.
    package var nextDeadline: Duration? {
        earliest.flatMap { time.instant(of: $0) }
    }

    // MARK: Scanning

    /// Records that a scan started that reports every advertisement.
    package mutating func scanStarted(now: Duration) {
        guard time.begin(now: now) else { return }
        let instant = time.elapsed(at: now)
        receivedOnce = [:]
        for identity in tracked.keys {
            tracked[identity]?.resume(at: instant, lastStretch: lastStretch)
        }
    }

    /// Records that the scan ended or is interrupted.
    package mutating func scanStopped(now: Duration) {
        guard time.isRunning else { return }
        lastStretch = time.stretch(at: now)
        time.end(now: now)
    }

    /// Handles a discovery.
    package mutating func received(
        _ discovery: Discovery,
        as identity: AccessoryIdentity,
        now: Duration
    ) -> [PresenceEvent] {
        guard rules.counts(discovery.rssi) else { return [] }
        let instant = time.elapsed(at: now)
        var events = makeRoom(for: identity)
        let isNew = tracked[identity] == nil
        var device = tracked[identity] ?? makeDevice(identity, at: instant)
        if let advertisement = receivedOnce.removeValue(forKey: identity), isNew,
            instant <= advertisement.end
        {
            device.resume(after: advertisement)
        }
        device.received(discovery, at: instant)
        if device.mustReport(rules) || isNew {
            let present = device.present
            events.append(isNew ? .discovered(present) : .updated(present))
        }
        keep(device, as: identity)
        return events
    }

    // MARK: Connecting

    /// Records that a connection attempt to a discovered device started. Must not be called for a
    /// pending connection request, because the device may be absent.
    package mutating func connecting(_ identity: AccessoryIdentity, now: Duration) {
        tracked[identity]?.connectionBegan()
    }

    /// Records that a device is connected, and therefore present.
    package mutating func connected(
        _ identity: AccessoryIdentity,
        now: Duration
    ) -> [PresenceEvent] {
        var events = makeRoom(for: identity)
        let instant = time.elapsed(at: now)
        let known = tracked[identity]
        var device = known ?? makeDevice(identity, at: instant)
        device.connectionBegan()
        receivedOnce[identity] = nil
        if known == nil { events.append(.discovered(device.present)) }
        keep(device, as: identity)
        return events
    }

    /// Records that a link or a connection attempt ended.
    package mutating func disconnected(_ identity: AccessoryIdentity, now: Duration) {
        guard var device = tracked[identity], device.isConnected else { return }
        device.connectionEnded(at: time.elapsed(at: now), grace: rules.options.grace)
        keep(device, as: identity)
    }

    // MARK: Losses

    /// Removes the lost devices and returns the events.
    package mutating func deadlinePassed(now: Duration) -> [PresenceEvent] {
        guard time.isRunning else { return [] }
        let instant = time.elapsed(at: now)
        guard let earliest, earliest <= instant else { return [] }
        let lost = tracked.values.filter { device in
            device.deadline(rules).map { $0 <= instant } ?? false
        }
        for device in lost {
            tracked[device.present.identity] = nil
            if let advertisement = device.singleAdvertisement(rules) {
                note(advertisement, of: device.present.identity)
            }
        }
        self.earliest = tracked.values.lazy.compactMap { [rules] in $0.deadline(rules) }.min()
        return lost.sorted { $0.number < $1.number }.map { .lost($0.present, .silent) }
    }

    /// Merges two identities that turned out to be the same device. If `other` is not present, it
    /// takes over the entry of `identity`. Returns the events.
    package mutating func merge(
        _ identity: AccessoryIdentity,
        into other: AccessoryIdentity
    ) -> [PresenceEvent] {
        receivedOnce[identity] = nil
        guard var device = tracked.removeValue(forKey: identity) else { return [] }
        let lost = PresenceEvent.lost(device.present, .merged)
        if tracked[other] == nil {
            device.present.identity = other
            tracked[other] = device
            return [lost, .discovered(device.present)]
        }
        if device.isConnected { tracked[other]?.connectionBegan() }
        return [lost]
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

    /// Records the advertisement of a lost device that was received once. If there are too many,
    /// the oldest is removed.
    private mutating func note(_ advertisement: SingleAdvertisement, of identity: AccessoryIdentity)
    {
        if receivedOnce.count >= rules.deviceLimit,
            let oldest = receivedOnce.min(by: { $0.value.instant < $1.value.instant })?.key
        {
            receivedOnce[oldest] = nil
        }
        receivedOnce[identity] = advertisement
    }

    /// Removes the device that was received longest ago, if there are too many. Connected devices
    /// stay.
    private mutating func makeRoom(for identity: AccessoryIdentity) -> [PresenceEvent] {
        guard tracked.count >= rules.deviceLimit, tracked[identity] == nil else { return [] }
        let oldest = tracked.values.lazy.filter { !$0.isConnected }
            .min { ($0.silenceStart, $0.number) < ($1.silenceStart, $1.number) }
        guard let oldest else { return [] }
        tracked[oldest.present.identity] = nil
        return [.lost(oldest.present, .displaced)]
    }
}
