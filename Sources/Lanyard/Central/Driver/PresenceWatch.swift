// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// One who wants to know who is near.
///
/// Unchecked: touched on its driver's queue only.
final class PresenceWatch: @unchecked Sendable {
    private let matcher: AccessoryMatcher
    private var tracker = PresenceTracker()
    /// Who has it is the application.
    private weak var mailbox: Mailbox<PresenceEvent>?
    private let timekeeper: any Timekeeper
    private var timer: (any TimekeeperTimer)?
    private var deadline: Duration?

    init(
        _ matcher: AccessoryMatcher,
        _ mailbox: Mailbox<PresenceEvent>,
        _ timekeeper: any Timekeeper,
        on queue: DispatchQueue
    ) {
        self.matcher = matcher
        self.mailbox = mailbox
        self.timekeeper = timekeeper
        timer = timekeeper.makeTimer(on: queue) { [weak self] in self?.deadlinePassed() }
    }

    /// What the scan has to be like.
    var wish: ScanWish { ScanWish(services: matcher.services, reportsDuplicates: true) }

    /// Whether a scan runs that reports everything.
    func setHearing(_ isHearing: Bool, now: Duration) {
        if isHearing {
            tracker.scanStarted(now: now)
        } else {
            tracker.scanStopped(now: now)
        }
        tell([])
    }

    func heard(_ sighting: Sighting, as identity: AccessoryIdentity, now: Duration) {
        // One that matched once may say less in its next packet.
        guard tracker.device(identity) != nil || matcher.matches(sighting) else { return }
        tell(tracker.heard(sighting, as: identity, now: now))
    }

    func dialled(_ identity: AccessoryIdentity, now: Duration) {
        tracker.connecting(identity, now: now)
        tell([])
    }

    func connected(_ identity: AccessoryIdentity, now: Duration) {
        // Whether a device that was not heard would match, nobody knows.
        guard tracker.device(identity) != nil else { return }
        tell(tracker.connected(identity, now: now))
    }

    func disconnected(_ identity: AccessoryIdentity, now: Duration) {
        tracker.disconnected(identity, now: now)
        tell([])
    }

    func end() {
        timer?.set(to: nil)
        mailbox?.end()
    }

    private func deadlinePassed() {
        deadline = nil
        tell(tracker.deadlinePassed(now: timekeeper.now))
    }

    private func tell(_ events: [PresenceEvent]) {
        for event in events { mailbox?.put(event).deliver() }
        guard tracker.nextDeadline != deadline else { return }
        deadline = tracker.nextDeadline
        timer?.set(to: deadline)
    }
}
