// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension AddressScheduler {
    /// The latest time for the next call of `deadlinePassed`, or `nil` if no call is necessary.
    package var nextDeadline: Instant? {
        guard isConfigured else { return nil }
        switch window {
        case .opening(let end): return end
        case .open: return nil  // The outstanding command has its own timeout.
        case .closed:
            guard list.nextOperation == nil else { return backoffEnd }
            return own?.changesAt.map { max($0, backoffEnd ?? $0) }
        }
    }

    /// Processes the deadlines up to `now`.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        if case .opening(let end) = window, now >= end { close(afterFailure: true, now: now) }
        return settle(now: now)
    }

    /// Issues the next operation and returns the actions. Every input ends with this call.
    mutating func settle(now: Instant) -> [Action] {
        if let end = backoffEnd, now >= end { backoffEnd = nil }
        if isConfigured {
            openIfNeeded(now: now)
            proceed(now: now)
        }
        defer { outbox = [] }
        return outbox
    }

    private mutating func openIfNeeded(now: Instant) {
        if window == .closed, backoffEnd == nil, hasWork(now: now) {
            window = .opening(until: now + Self.openingLimit)
            quietSchedulers = []
            outbox.append(.hold)
        }
        if case .opening = window, quietSchedulers == .all {
            window = .open(until: now + Self.windowLimit)
        }
    }

    private func hasWork(now: Instant) -> Bool {
        list.nextOperation != nil || own?.successor(now: now) != nil
    }

    private mutating func proceed(now: Instant) {
        guard case .open(let end) = window, outstanding == nil else { return }
        let address = own?.successor(now: now).map { PrivacyOperation.setRandomAddress($0) }
        guard let operation = list.nextOperation ?? address else {
            return close(afterFailure: false, now: now)
        }
        guard now < end else { return close(afterFailure: true, now: now) }
        stepCount += 1
        let step = PrivacyStep(number: stepCount, operation: operation)
        outstanding = step
        outbox.append(.command(operation.command, step))
    }

    mutating func finish(
        _ operation: PrivacyOperation,
        _ outcome: OperationOutcome,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) {
        switch (operation, outcome) {
        case (.setRandomAddress(let address), .accepted):
            own?.took(address, using: &generator, now: now)
            outbox.append(.addressChanged(address))
        case (.setRandomAddress, _):
            own?.refused(now: now)
            close(afterFailure: true, now: now)
        default:
            if case .enableResolution = operation { changesRecognition = true }
            if !list.finished(operation, outcome) { close(afterFailure: true, now: now) }
        }
    }

    private mutating func close(afterFailure hasFailed: Bool, now: Instant) {
        window = .closed
        quietSchedulers = []
        failureCount = hasFailed ? failureCount + 1 : 0
        if hasFailed {
            let doubled = Self.backoffMinimum * (1 << min(failureCount - 1, 10))
            backoffEnd = now + min(doubled, Self.backoffMaximum)
        }
        if changesRecognition { outbox.append(.recognitionChanged) }
        changesRecognition = false
        outbox.append(.release)
    }
}
