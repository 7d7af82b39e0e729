// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CentralDriver {
    /// Passes an event to a state machine and performs the resulting actions. If events are already
    /// being processed, the new event is processed after them.
    func feed(_ event: Machine.Event, to entry: AccessoryEntry) {
        dispatchPrecondition(condition: .onQueue(queue))
        inbox.append((entry, event))
        guard !isDraining else { return }
        isDraining = true
        defer { isDraining = false }
        var count = 0
        while !inbox.isEmpty {
            count += 1
            precondition(count < Self.inboxLimit, "too many events in one turn")
            let (entry, event) = inbox.removeFirst()
            for action in entry.machine.receive(event, at: now, using: &generator) {
                perform(action, for: entry)
            }
        }
        updateScan()
    }

    private func perform(_ action: Machine.Action, for entry: AccessoryEntry) {
        switch action {
        case .retrieve(let retrieval): retrieve(retrieval, for: entry)
        case .scan: setScanning(true, entry)
        case .stopScan: setScanning(false, entry)
        case .connect(let peripheral, let approach): connect(peripheral, approach, entry)
        case .cancelConnection(let peripheral): cancelConnection(peripheral, entry)
        case .discoverServices(let peripheral, let services):
            discover(services, of: peripheral, entry)
        case .discoverCharacteristics(let peripheral, let service, let characteristics):
            discover(characteristics, of: service, on: peripheral, entry)
        case .subscribe(let peripheral, let path): subscribe(to: path, of: peripheral, entry)
        case .unsubscribe(let peripheral, let path):
            unsubscribe(from: path, of: peripheral, entry)
        case .probe(let peripheral, let path): probe(path, of: peripheral, entry)
        case .reserveSlot(let use): reserveSlot(use, for: entry)
        case .releaseSlot(let limitReached): releaseSlot(limitReached: limitReached, of: entry)
        case .save(let peripheral): save(peripheral, entry)
        case .erase: erase(entry)
        case .arm(let countdown): arm(countdown, for: entry)
        case .cancelCountdown(let countdown): cancel(countdown, of: entry)
        case .report(let state, let reason): report(state, reason, of: entry)
        case .record: entry.snapshot.setAttempts(entry.machine.log.records)
        }
    }

    // MARK: Countdowns

    private func arm(_ countdown: Countdown, for entry: AccessoryEntry) {
        let timer =
            entry.countdownTimer
            ?? timekeeper.makeTimer(on: queue) { [weak self, weak entry] in
                guard let self, let entry, let countdown = entry.countdown else { return }
                entry.countdown = nil
                feed(.countdownEnded(countdown), to: entry)
            }
        entry.countdownTimer = timer
        entry.countdown = countdown
        timer.set(to: countdown.deadline)
    }

    private func cancel(_ countdown: Countdown, of entry: AccessoryEntry) {
        guard entry.countdown == countdown else { return }
        entry.countdown = nil
        entry.countdownTimer?.set(to: nil)
    }

    /// Starts or stops the timer of a first pairing. The timer starts with the first state of the
    /// pairing in which Bluetooth is available. It stops when the accessory becomes ready or idle,
    /// or when Bluetooth becomes unavailable.
    private func limitPairing(_ state: AccessoryState, of entry: AccessoryEntry) {
        guard !entry.isShown, state != .idle, state.isPossible else {
            entry.pairingTimer?.set(to: nil)
            entry.pairingTimer = nil
            return
        }
        guard entry.pairingTimer == nil else { return }
        let limit = entry.description.timeouts.firstPairing
        let timer = timekeeper.makeTimer(on: queue) { [weak self, weak entry] in
            guard let self, let entry, !entry.isShown else { return }
            entry.snapshot.setTimedOut()
            feed(.pairingLimitReached(limit), to: entry)
        }
        entry.pairingTimer = timer
        timer.set(to: now + limit)
    }

    // MARK: Reporting

    private func report(
        _ state: AccessoryState,
        _ reason: ChangeReason,
        of entry: AccessoryEntry
    ) {
        record(.state, "\(state)", entry, detail: "\(reason)")
        limitPairing(state, of: entry)
        if state == .connected || state == .ready { entry.showLacking() }
        let lostNothing = entry.snapshot.show(state, reason, now: now)
        if !lostNothing { record(.note, "changes were dropped: a reader is too slow", entry) }
        entry.snapshot.setWriteLengths(writeLengths(of: entry))
        for transport in entry.transports.values { transport.setLinked(state == .ready) }
        if entry.isForgotten { dismiss(entry) }
    }

    /// Removes an accessory that was forgotten, or whose pairing failed or was canceled.
    func dismiss(_ entry: AccessoryEntry) {
        entries.removeAll { $0 === entry }
        index.remove(entry)
        rediscoveries.removeAll { $0 === entry }
        _ = scans.set(nil, for: entry.number)
        entry.countdownTimer?.set(to: nil)
        entry.pairingTimer?.set(to: nil)
        failRequests(of: entry, .shutDown)
        for transport in entry.transports.values { transport.end() }
        entry.transports = [:]
        if let identity = entry.identity {
            // The end of the link may be reported later, when the record no longer exists.
            watchersDisconnected(identity)
            identities.forget(identity)
        }
        if entry.isShown { accessoryList.remove(entry.snapshot) }
        entry.isShown = false
        entry.snapshot.end()
        watchersKnownChanged()
    }
}

// Accessories that are ready but refuse all messages.
extension CentralDriver {
    /// Records that the accessory accepted a message whose answer uses this characteristic.
    func messageAccepted(_ path: CharacteristicPath, _ entry: AccessoryEntry) {
        entry.renewals[path] = nil
    }

    /// Records that the accessory refused a message, and starts the next step of the renewal plan
    /// if one is due.
    func messageRefused(
        _ path: CharacteristicPath,
        _ error: AccessoryError,
        _ entry: AccessoryEntry
    ) {
        guard let peripheral = entry.peripheral,
            let failure = LinkFailure(refusalOfAllMessages: error),
            let step = entry.renewals[path, default: RenewalPlan()].refused(now: now)
        else { return }
        record(.note, "refuses all messages", entry, detail: "\(failure)")
        feed(.link(peripheral, .messagesRefused(path, step, failure)), to: entry)
    }
}
