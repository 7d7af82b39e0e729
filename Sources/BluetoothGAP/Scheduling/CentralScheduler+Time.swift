// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension CentralScheduler {
    /// The latest time for the next call of `deadlinePassed`, or `nil` if no call is necessary.
    ///
    /// While an operation is outstanding, only deadlines that need no operation count.
    package var nextDeadline: Instant? {
        var soonest = scan.endsAt
        if case .awaitingEnd(_, let end) = initiation { soonest = earliest(soonest, end) }
        guard outstanding == nil, dialect != nil else { return soonest }
        soonest = earliest(soonest, earliest(turnEndsAt, shareEndsAt))
        return earliest(soonest, earliest(scan.restartsAt, queue.nextBackoffEnd))
    }

    /// Processes the deadlines up to `now`.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        if let end = scan.endsAt, now >= end {
            scan.request(nil, until: nil)
            outbox.append(.scanEnded)
        }
        if case .awaitingEnd(let turn, let end) = initiation, now >= end {
            endInitiation(of: turn)
        }
        return settle(now: now)
    }

    /// The time at which the running turn ends in favor of another.
    private var turnEndsAt: Instant? {
        guard case .running(let turn, let since) = initiation, queue.isContended(beside: turn)
        else { return nil }
        return since + Self.sliceDuration
    }

    /// The time at which the radio passes from the scanner to the initiator, or back.
    private var shareEndsAt: Instant? {
        guard isShareContended else { return nil }
        return share.since.map { $0 + Self.sliceDuration }
    }

    /// Whether the controller cannot initiate during the requested scan. After a controller has
    /// refused to scan and initiate at once, this is `true` for every scan.
    var scanExcludesInitiation: Bool {
        guard let dialect else { return false }
        return refusedOverlap || !dialect.allowsInitiating(whileScanning: scan.requested)
    }

    /// Returns whether the controller can initiate during such a scan, as far as the host knows.
    /// `false` without a configured controller.
    package func initiates(whileScanning parameters: ScanParameters) -> Bool {
        guard let dialect else { return false }
        return !refusedOverlap && dialect.allowsInitiating(whileScanning: parameters)
    }

    private var initiatorIsWanted: Bool { !initiation.isIdle || queue.hasEligible }

    private var isShareContended: Bool {
        scanExcludesInitiation && scan.requested != nil && initiatorIsWanted
    }

    /// Whether the scanner may run now.
    var scannerMayRun: Bool {
        guard pause == .none else { return false }
        guard scanExcludesInitiation, initiatorIsWanted else { return true }
        return share.holder == .scanner && initiation.isIdle
    }

    /// Whether the initiator may run as soon as the scanner has stopped.
    var initiatorMayRun: Bool {
        !isShareContended || share.holder == .initiator
    }

    /// Records whether the scanner or the initiator has the radio. At the end of a slice, the radio
    /// passes from one to the other.
    mutating func updateShare(now: Instant) {
        if !isShareContended {
            share.give(to: initiatorIsWanted ? .initiator : .scanner)
        } else if let since = share.since, now >= since + Self.sliceDuration {
            share.pass()
        }
        if share.since == nil, holderIsActive { share.since = now }
    }

    private var holderIsActive: Bool {
        switch share.holder {
        case .scanner: scan.isOn
        case .initiator: if case .running = initiation { true } else { false }
        }
    }

    /// Returns whether the running initiation has to stop.
    func hasToStop(_ turn: ConnectQueue.Turn, since: Instant, now: Instant) -> Bool {
        queue.hasWithdrawn(from: turn)
            || pause != .none
            || !initiatorMayRun
            || acceptListUser != .initiator && turn.target == .acceptList
            || queue.isContended(beside: turn) && now >= since + Self.sliceDuration
    }
}
