// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A subscription to the presence of devices.
///
/// Unchecked: used on its driver's queue only.
final class PresenceWatch: @unchecked Sendable {
    private let matcher: AccessoryMatcher
    private var tracker: PresenceTracker
    private let sink: any PresenceSink
    private let timekeeper: any Timekeeper
    private var timer: (any TimekeeperTimer)?
    private var deadline: Duration?

    init(
        _ matcher: AccessoryMatcher,
        _ options: PresenceOptions,
        _ sink: any PresenceSink,
        _ timekeeper: any Timekeeper,
        on queue: DispatchQueue
    ) {
        self.matcher = matcher
        tracker = PresenceTracker(rules: PresenceRules(options))
        self.sink = sink
        self.timekeeper = timekeeper
        timer = timekeeper.makeTimer(on: queue) { [weak self] in self?.deadlinePassed() }
    }

    /// The scan that the subscription needs.
    var scan: PlannedScan { PlannedScan(services: matcher.services, reportsDuplicates: true) }

    /// Sets whether a scan is running that reports every advertisement.
    func setReportsEveryPacket(_ reportsEveryPacket: Bool, now: Duration) {
        if reportsEveryPacket {
            tracker.scanStarted(now: now)
        } else {
            tracker.scanStopped(now: now)
        }
        settle()
    }

    func received(_ discovery: Discovery, as identity: AccessoryIdentity, now: Duration) {
        // A device that matched once stays in the subscription, because its later packets may lack
        // the data that the matcher examines.
        guard tracker.device(identity) != nil || matcher.matches(discovery) else { return }
        deliver(tracker.received(discovery, as: identity, now: now))
    }

    /// Returns whether a device counts as present.
    func isPresent(_ identity: AccessoryIdentity) -> Bool {
        tracker.device(identity) != nil
    }

    func connectionRequested(_ identity: AccessoryIdentity, now: Duration) {
        tracker.connecting(identity, now: now)
        settle()
    }

    func connected(_ identity: AccessoryIdentity, now: Duration) {
        // A device that the subscription has never discovered may not match, so its link is
        // ignored.
        guard tracker.device(identity) != nil else { return }
        deliver(tracker.connected(identity, now: now))
    }

    func disconnected(_ identity: AccessoryIdentity, now: Duration) {
        tracker.disconnected(identity, now: now)
        settle()
    }

    /// Merges two identities that turned out to be the same device.
    func merge(_ identity: AccessoryIdentity, into other: AccessoryIdentity) {
        deliver(tracker.merge(identity, into: other))
    }

    /// Records that an accessory was added to the central or removed, or that the subscription
    /// began.
    func knownChanged() { sink.receive([]) }

    func end() {
        timer?.set(to: nil)
        sink.end()
    }

    private func deadlinePassed() {
        deadline = nil
        deliver(tracker.deadlinePassed(now: timekeeper.now))
    }

    private func deliver(_ events: [PresenceEvent]) {
        if !events.isEmpty { sink.receive(events) }
        settle()
    }

    private func settle() {
        guard tracker.nextDeadline != deadline else { return }
        deadline = tracker.nextDeadline
        timer?.set(to: deadline)
    }
}
