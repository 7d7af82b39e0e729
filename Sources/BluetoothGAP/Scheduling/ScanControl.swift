// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The scan that is wanted, beside what the controller is believed to do.
struct ScanControl: Sendable {
    enum Activity: Sendable, Equatable {
        case off
        case on(ScanParameters, since: Instant)
        /// The controller refused something it should not have: it may be scanning.
        case doubtful
    }

    /// What is wanted; nil: no scan.
    private(set) var wish: ScanParameters?
    /// When the scan that is wanted is over.
    private(set) var endsAt: Instant?
    private(set) var activity = Activity.off
    /// The parameters that the controller took last.
    private var configured: ScanParameters?
    /// Refusals in a row.
    private var refusalCount = 0
    /// Whether the controller leaves out what somebody who asks since has not been told.
    private var isStale = false
    /// Whether those who asked know that the scan runs.
    private var isAnnounced = false

    /// After so many refusals in a row the scan has failed.
    static let refusalLimit = 3

    /// A scan is not restarted more often than this, however short the period asked for: each
    /// restart makes the controller deaf for a moment.
    static let restartMinimum: Duration = .seconds(1)

    var isOn: Bool {
        if case .on = activity { true } else { false }
    }

    /// Whether it certainly does not run.
    var isOff: Bool { activity == .off }

    /// When the controller's memory of duplicates is to be cleared.
    var restartsAt: Instant? {
        guard let wish, wish.filtersDuplicates, let period = wish.duplicateFilterRestart,
            case .on(_, let since) = activity
        else { return nil }
        return since + max(period, Self.restartMinimum)
    }

    /// The next order on the way to what is wanted; nil when nothing is to be done.
    ///
    /// Parameters change only while scanning is off (Vol 4, Part E, 7.8.10).
    func nextOrder(mayRun: Bool, now: Instant) -> ControllerOrder? {
        switch activity {
        case .doubtful: return .disableScan
        case .on(let running, _):
            let isDue = restartsAt.map { now >= $0 } ?? false
            return mayRun && wish == running && !isDue && !isStale ? nil : .disableScan
        case .off:
            guard let wish, mayRun else { return nil }
            return configured == wish
                ? .enableScan(filtersDuplicates: wish.filtersDuplicates) : .setScanParameters(wish)
        }
    }

    mutating func want(_ parameters: ScanParameters?, until end: Instant?) {
        wish = parameters
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

    /// Somebody else wants to know, too, what was reported before.
    mutating func renew() {
        if case .on(let running, _) = activity, running.filtersDuplicates { isStale = true }
    }

    mutating func disabled() {
        activity = .off
        isStale = false
    }

    /// Notes that an order was not carried out. True: enough is enough, the scan has failed.
    ///
    /// Disallowed: it must be scanning, and is told to stop first. Unanswered: it is asked again,
    /// for the controller may be about to be found dead, and a scan outlives its controller.
    mutating func refused(_ outcome: OrderOutcome) -> Bool {
        refusalCount += 1
        configured = nil
        activity = .off
        isStale = false
        guard refusalCount < Self.refusalLimit, outcome == .disallowed || outcome == .unanswered
        else { return wish != nil }
        if outcome == .disallowed { activity = .doubtful }
        return false
    }

    /// What those who asked are to be told; nil: nothing new.
    mutating func announcement() -> Bool? {
        if isOn, wish != nil, !isAnnounced {
            isAnnounced = true
            return true
        }
        guard isAnnounced, wish == nil, !isOn else { return nil }
        isAnnounced = false
        return false
    }

    /// The controller forgot everything; what is wanted stays wanted. True: it was running.
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
