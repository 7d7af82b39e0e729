// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CentralDriver {
    func presence(
        matching matcher: AccessoryMatcher,
        _ options: PresenceOptions
    ) throws(AccessoryError) -> Events<PresenceEvent> {
        let mailbox = Mailbox<PresenceEvent>(limit: Events<PresenceEvent>.bufferLimit)
        try watch(matcher, options, PresenceEventSink(mailbox), until: mailbox)
        return Events(mailbox: mailbox)
    }

    func nearby(
        matching matcher: AccessoryMatcher,
        _ options: PresenceOptions
    ) throws(AccessoryError) -> Events<NearbyDevices> {
        // Only the latest list matters to a screen.
        let mailbox = Mailbox<NearbyDevices>(limit: 1)
        let sink = NearbyListSink(mailbox) { [weak self] in self?.knownIdentities ?? [] }
        try watch(matcher, options, sink, until: mailbox)
        return Events(mailbox: mailbox)
    }

    /// Starts a subscription, which ends when the app releases the mailbox or the driver ends.
    private func watch<Element>(
        _ matcher: AccessoryMatcher,
        _ options: PresenceOptions,
        _ sink: any PresenceSink,
        until mailbox: Mailbox<Element>
    ) throws(AccessoryError) {
        guard matcher.services != nil || configuration.allowsUnfilteredScans else {
            throw .unfilteredScan
        }
        let watch = PresenceWatch(matcher, options, sink, timekeeper, on: queue)
        mailbox.onRelease { [weak self] in self?.execute { $0.remove(watch) } }
        execute(orElse: { watch.end() }) { driver in
            let number = driver.nextNumber()
            guard driver.scans.set(watch.scan, for: number) else {
                let text = "presence ends at once: \(ScanPlan.scanLimit) scans are requested"
                driver.record(.note, text, nil)
                return watch.end()
            }
            driver.watches[number] = watch
            watch.knownChanged()
            if driver.scans.running?.reportsDuplicates == true {
                watch.setReportsEveryPacket(true, now: driver.now)
            }
            driver.updateScan()
        }
    }

    private var knownIdentities: Set<AccessoryIdentity> {
        Set(entries.lazy.filter(\.isShown).compactMap(\.identity))
    }

    /// Records that an accessory was added to the central or removed.
    func watchersKnownChanged() {
        for watch in watches.values { watch.knownChanged() }
    }

    private func remove(_ watch: PresenceWatch) {
        guard let number = watches.first(where: { $0.value === watch })?.key else { return }
        watches[number] = nil
        watch.end()
        _ = scans.set(nil, for: number)
        updateScan()
    }

    func watchersConnect(_ identity: AccessoryIdentity) {
        for watch in watches.values { watch.connectionRequested(identity, now: now) }
    }

    func watchersConnected(_ identity: AccessoryIdentity) {
        for watch in watches.values { watch.connected(identity, now: now) }
    }

    func watchersDisconnected(_ identity: AccessoryIdentity) {
        for watch in watches.values { watch.disconnected(identity, now: now) }
    }
}
