// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// The driver passes one event to a state machine, performs all of its actions, and then takes the
// next event.

extension CentralDriver {
    /// Passes an event to a state machine and performs the resulting actions. If events are already
    /// being processed, the new event is processed after them.
    func feed(_ event: Machine.Event, to keeper: AccessoryKeeper) {
        dispatchPrecondition(condition: .onQueue(queue))
        inbox.append((keeper, event))
        guard !isDraining else { return }
        isDraining = true
        defer { isDraining = false }
        var count = 0
        while !inbox.isEmpty {
            count += 1
            precondition(count < Self.inboxLimit, "accessories keep each other busy without end")
            let (keeper, event) = inbox.removeFirst()
            for action in keeper.machine.receive(event, at: now, using: &generator) {
                perform(action, for: keeper)
            }
        }
        updateScan()
    }

    private func perform(_ action: Machine.Action, for keeper: AccessoryKeeper) {
        switch action {
        case .retrieve(let retrieval): retrieve(retrieval, for: keeper)
        case .scan: setScanning(true, keeper)
        case .stopScan: setScanning(false, keeper)
        case .connect(let peripheral, let approach): connect(peripheral, approach, keeper)
        case .cancelConnection(let peripheral): cancelConnection(peripheral, keeper)
        case .discoverServices(let peripheral, let services):
            discover(services, of: peripheral, keeper)
        case .discoverCharacteristics(let peripheral, let service, let characteristics):
            discover(characteristics, of: service, on: peripheral, keeper)
        case .subscribe(let peripheral, let path): subscribe(to: path, of: peripheral, keeper)
        case .unsubscribe(let peripheral, let path):
            unsubscribe(from: path, of: peripheral, keeper)
        case .probe(let peripheral, let path): probe(path, of: peripheral, keeper)
        case .reserveSlot(let use): reserveSlot(use, for: keeper)
        case .releaseSlot(let limitReached): releaseSlot(limitReached: limitReached, of: keeper)
        case .save(let peripheral): save(peripheral, keeper)
        case .erase: erase(keeper)
        case .arm(let countdown): arm(countdown, for: keeper)
        case .cancelCountdown(let countdown): cancel(countdown, of: keeper)
        case .report(let state, let reason): report(state, reason, of: keeper)
        case .record: keeper.mirror.setAttempts(keeper.machine.log.records)
        }
    }

    // MARK: Countdowns

    private func arm(_ countdown: Countdown, for keeper: AccessoryKeeper) {
        let timer =
            keeper.countdownTimer
            ?? timekeeper.makeTimer(on: queue) { [weak self, weak keeper] in
                guard let self, let keeper, let countdown = keeper.countdown else { return }
                keeper.countdown = nil
                feed(.countdownEnded(countdown), to: keeper)
            }
        keeper.countdownTimer = timer
        keeper.countdown = countdown
        timer.set(to: countdown.deadline)
    }

    private func cancel(_ countdown: Countdown, of keeper: AccessoryKeeper) {
        guard keeper.countdown == countdown else { return }
        keeper.countdown = nil
        keeper.countdownTimer?.set(to: nil)
    }

    // MARK: Reporting

    private func report(
        _ state: AccessoryState,
        _ reason: ChangeReason,
        of keeper: AccessoryKeeper
    ) {
        record(.state, "\(state)", keeper, detail: "\(reason)")
        let lostNothing = keeper.mirror.show(state, reason)
        if !lostNothing { record(.note, "changes were dropped: a reader is too slow", keeper) }
        keeper.mirror.setWriteLengths(keeper.writeLengths)
        for transport in keeper.transports.values { transport.setLinked(state == .ready) }
        if keeper.isForgotten { dismiss(keeper) }
    }

    /// Removes an accessory that was forgotten, or a pairing attempt that was canceled.
    func dismiss(_ keeper: AccessoryKeeper) {
        keepers.removeAll { $0 === keeper }
        _ = scans.set(nil, for: keeper.number)
        keeper.countdownTimer?.set(to: nil)
        failRequests(of: keeper, .shutDown)
        for transport in keeper.transports.values { transport.end() }
        keeper.transports = [:]
        if let identity = keeper.identity { identities.forget(identity) }
        if keeper.isShown { roster.remove(keeper.mirror) }
        keeper.isShown = false
        keeper.mirror.end()
    }
}

// Accessories that are ready but refuse all messages.
extension CentralDriver {
    /// Notes that the accessory accepted a message whose answer uses this characteristic.
    func messageAccepted(_ path: CharacteristicPath, _ keeper: AccessoryKeeper) {
        keeper.renewals[path] = nil
    }

    /// Notes that the accessory refused a message, and starts the next step of the renewal plan.
    func messageRefused(
        _ path: CharacteristicPath,
        _ error: AccessoryError,
        _ keeper: AccessoryKeeper
    ) {
        guard let peripheral = keeper.peripheral,
            let failure = LinkFailure(refusalOfAllMessages: error),
            let step = keeper.renewals[path, default: RenewalPlan()].refused(now: now)
        else { return }
        record(.note, "refuses all messages", keeper, detail: "\(failure)")
        feed(.link(peripheral, .messagesRefused(path, step, failure)), to: keeper)
    }
}
