// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The requested scan, and the presumed state of the controller's scanner.
struct ScanControl: Sendable {
    enum Activity: Sendable, Equatable {
        case off
        case on(ScanParameters, since: Instant)
        /// The controller may be scanning, because it refused an operation unexpectedly or did not
        /// answer.
        case doubtful
    }

    /// The requested scan, or `nil` for none.
    private(set) var requested: ScanParameters?
    /// The time at which the requested scan ends.
    private(set) var endsAt: Instant?
    private(set) var activity = Activity.off
    /// The parameters that the controller accepted last.
    private var configured: ScanParameters?
    /// The number of failed operations in a row.
    private var refusalCount = 0
    /// Whether a caller has joined the running scan, so that the scan has to restart. The
    /// controller's duplicate filter hides devices that this caller has not received yet.
    private var isStale = false
    /// Whether the scheduler has reported that the scan runs.
    private var isAnnounced = false

    /// The number of failed operations in a row after which the scan fails.
    static let refusalLimit = 3

    /// The shortest time between two restarts of a scan. The controller receives nothing during a
    /// restart.
    static let restartMinimum: Duration = .seconds(1)

    var isOn: Bool {
        if case .on = activity { true } else { false }
    }

    /// Whether a scan is requested, and no scan has run since the scheduler last reported that
    /// scanning stopped.
    var isUnannounced: Bool { requested != nil && !isAnnounced }

    /// Whether the scan certainly does not run.
    var isOff: Bool { activity == .off }

    /// The time at which to restart the scan, which clears the controller's duplicate filter.
    var restartsAt: Instant? {
        guard let requested, requested.filtersDuplicates,
            let period = requested.duplicateFilterRestart,
            case .on(_, let since) = activity
        else { return nil }
        return since + max(period, Self.restartMinimum)
    }

    /// Returns the next operation for the scanner, or `nil` if none is necessary.
    ///
    /// Parameters change only while scanning is off (Vol 4, Part E, 7.8.10).
    func nextOperation(mayRun: Bool, now: Instant) -> ControllerOperation? {
        switch activity {
        case .doubtful: return .disableScan
        case .on(let running, _):
            let isDue = restartsAt.map { now >= $0 } ?? false
            return mayRun && requested == running && !isDue && !isStale ? nil : .disableScan
        case .off:
            guard let requested, mayRun else { return nil }
            return configured == requested
                ? .enableScan(filtersDuplicates: requested.filtersDuplicates)
                : .setScanParameters(requested)
        }
    }

    mutating func request(_ parameters: ScanParameters?, until end: Instant?) {
        requested = parameters
        endsAt = parameters == nil ? nil : end
        refusalCount = 0
    }

    mutating func parametersAccepted(_ parameters: ScanParameters) {
        configured = parameters
    }

    mutating func enabled(now: Instant) {
        guard let configured else { return }
        activity = .on(configured, since: now)
        refusalCount = 0
    }

    /// Makes the controller report devices again, for another caller.
    mutating func renew() {
        if case .on(let running, _) = activity, running.filtersDuplicates { isStale = true }
    }

    mutating func disabled() {
        activity = .off
        isStale = false
    }

    /// Records that the controller may be scanning, so that the next operation is a stop.
    mutating func stateBecameUnknown() {
        activity = .doubtful
        isStale = false
    }

    /// Records that an operation failed.
    ///
    /// After Command Disallowed, the controller must be scanning, so the next operation is a stop.
    /// An operation without an answer is repeated.
    ///
    /// - Returns: Whether the scan has failed.
    mutating func refused(_ outcome: OperationOutcome) -> Bool {
        refusalCount += 1
        configured = nil
        activity = .off
        isStale = false
        guard refusalCount < Self.refusalLimit, outcome == .disallowed || outcome == .unanswered
        else { return requested != nil }
        if outcome == .disallowed { activity = .doubtful }
        return false
    }

    /// Returns the state of the scan if it was not reported yet, and `nil` otherwise.
    mutating func announcement() -> Bool? {
        if isOn, requested != nil, !isAnnounced {
            isAnnounced = true
            return true
        }
        guard isAnnounced, requested == nil, isOff else { return nil }
        isAnnounced = false
        return false
    }

    /// Forgets the state of the controller. The requested scan stays.
    ///
    /// - Returns: Whether the scan was running.
    mutating func reset() -> Bool {
        let wasAnnounced = isAnnounced
        activity = .off
        isStale = false
        configured = nil
        refusalCount = 0
        isAnnounced = false
        return wasAnnounced
    }
}
