// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CentralDriver {
    func presence(
        matching matcher: AccessoryMatcher
    ) throws(AccessoryError) -> Events<PresenceEvent> {
        guard matcher.services != nil || configuration.allowsUnfilteredScans else {
            throw .unfilteredScan
        }
        let mailbox = Mailbox<PresenceEvent>(limit: Events<PresenceEvent>.bufferLimit)
        let watch = PresenceWatch(matcher, mailbox, timekeeper, on: queue)
        mailbox.onLeave { [weak self] in self?.enter { $0.remove(watch) } }
        enter(orElse: { watch.end() }) { driver in
            let number = driver.nextNumber()
            guard driver.scans.set(watch.scan, for: number) else { return watch.end() }
            driver.watches[number] = watch
            if driver.scans.running?.reportsDuplicates == true {
                watch.setHearing(true, now: driver.now)
            }
            driver.updateScan()
        }
        return Events(mailbox: mailbox)
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
