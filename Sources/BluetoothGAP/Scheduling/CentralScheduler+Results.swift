// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension CentralScheduler {
    /// Records the answer to an operation.
    mutating func finish(
        _ operation: ControllerOperation,
        _ outcome: OperationOutcome,
        now: Instant
    ) {
        switch operation {
        case .setScanParameters, .enableScan, .disableScan:
            finishScanOperation(operation, outcome, now: now)
        case .clearAcceptList, .addToAcceptList, .removeFromAcceptList:
            finishEdit(operation, outcome, now: now)
        case .createConnection: finishCreate(outcome, now: now)
        case .cancelConnection: finishCancel(outcome, now: now)
        }
    }

    /// Counts the unanswered stops. Only a reset ends the scan or initiation of a controller that
    /// never answers them.
    private mutating func noteStop(_ outcome: OperationOutcome) {
        unansweredStopCount = outcome == .unanswered ? unansweredStopCount + 1 : 0
        if unansweredStopCount == Self.unansweredStopLimit { outbox.append(.unstoppable) }
    }

    // MARK: - Scanning

    private mutating func finishScanOperation(
        _ operation: ControllerOperation,
        _ outcome: OperationOutcome,
        now: Instant
    ) {
        if operation == .disableScan { noteStop(outcome) }
        switch (operation, outcome) {
        // The controller may still scan, so the next operation is another stop. A scan that never
        // ran does not begin again after a reset. Otherwise, the host would repeatedly reset a
        // controller that does not answer the command for this scan.
        case (.disableScan, .unanswered):
            scan.stateBecameUnknown()
            guard unansweredStopCount == Self.unansweredStopLimit, scan.isUnannounced else {
                return
            }
            scan.request(nil, until: nil)
            outbox.append(.scanFailed(outcome.failure))
        // A refusal means that the controller does not scan.
        case (.disableScan, _): scan.disabled()
        case (.setScanParameters(let parameters), .accepted): scan.parametersAccepted(parameters)
        case (_, .accepted): scan.enabled(now: now)
        case (_, .disallowed) where !initiation.isIdle && !scanExcludesInitiation:
            refusedOverlap = true
        default:
            let hasFailed = scan.refused(outcome)
            if outcome == .unanswered, case .enableScan = operation { scan.stateBecameUnknown() }
            guard hasFailed else { return }
            scan.request(nil, until: nil)
            outbox.append(.scanFailed(outcome.failure))
        }
    }

    // MARK: - The Filter Accept List

    private mutating func finishEdit(
        _ operation: ControllerOperation,
        _ outcome: OperationOutcome,
        now: Instant
    ) {
        switch (operation, outcome) {
        case (.clearAcceptList, .accepted): acceptList.cleared()
        case (.addToAcceptList(let address), .accepted): acceptList.added(address)
        case (.removeFromAcceptList(let address), .accepted): acceptList.removed(address)
        case (.addToAcceptList, .refused(.memoryCapacityExceeded)): acceptList.filledUp()
        case (_, .disallowed) where refusalCount < Self.refusalLimit:
            // The controller initiates from the list, although the presumed state differs.
            refusalCount += 1
            acceptList.forget()
            initiation = .stale(nil)
        case (_, .unanswered) where refusalCount < Self.refusalLimit:
            refusalCount += 1
            acceptList.forget()
        default:
            refusalCount = 0
            acceptList.giveUp()
        }
    }

    // MARK: - Initiating

    private mutating func finishCreate(_ outcome: OperationOutcome, now: Instant) {
        guard case .starting(let turn) = initiation else { return }
        switch outcome {
        case .accepted:
            initiation = .running(turn, since: now)
            queue.update(turn.members) { $0.wasInitiated = true }
            refusalCount = 0
        case .disallowed where scan.isOn && !refusedOverlap:
            refusedOverlap = true
            initiation = .idle
        case .disallowed where refusalCount < Self.refusalLimit:
            refusalCount += 1
            initiation = .stale(nil)
        default:
            endInitiation(of: turn)
            refusalCount = 0
            fail(turn, outcome.failure, now: now)
            // Without an answer, the controller may be initiating.
            if outcome == .unanswered { initiation = .stale(nil) }
        }
    }

    private mutating func finishCancel(_ outcome: OperationOutcome, now: Instant) {
        guard case .cancelling(let turn) = initiation else { return }
        noteStop(outcome)
        switch outcome {
        case .accepted: initiation = .awaitingEnd(turn, until: now + Self.endLimit)
        // The controller may still initiate, so the next operation is another cancel.
        case .unanswered: initiation = .stale(turn)
        // A refusal means that the controller does not initiate.
        case .refused: endInitiation(of: turn)
        }
    }

    /// Handles the end of initiating. The requests of the turn go to the back of the queue.
    mutating func endInitiation(of turn: ConnectQueue.Turn?) {
        initiation = .idle
        if let turn { queue.rotate(turn) }
    }

    /// Processes a new link, which completes the requests for this device. The link completes
    /// canceled requests only if there are no others.
    mutating func connectionMade(with peer: DeviceAddress, now: Instant) {
        if initiation.turn?.addresses.contains(peer) ?? false || !isStarting {
            endInitiation(of: initiation.turn)
        }
        let wanted = queue.remove { $0.address == peer && !$0.isCancelled }
        let withdrawn = queue.remove { $0.address == peer }
        outbox += withdrawn.map { wanted.isEmpty ? .connected($0) : .connectFailed($0, .cancelled) }
        outbox += wanted.map { .connected($0) }
        if wanted.isEmpty, withdrawn.isEmpty { outbox.append(.unexpectedConnection(peer)) }
    }

    /// Processes the end of an initiation without a link. While LE Create Connection is
    /// outstanding, the event is the late end of an earlier initiation. Otherwise, the event is the
    /// end of the current one.
    mutating func connectionFailed(_ status: HCI.ErrorCode, peer: DeviceAddress, now: Instant) {
        guard !initiation.isIdle, !isStarting else { return }
        let ended = initiation
        endInitiation(of: ended.turn)
        switch ended {
        case .running(let turn, _): fail(turn, .refused(status), peer: peer, now: now)
        case .cancelling(let turn?), .awaitingEnd(let turn?, _), .stale(let turn?):
            guard status != .unknownConnectionIdentifier else { return }
            fail(turn, .refused(status), peer: peer, now: now)
        default: break
        }
    }

    private var isStarting: Bool {
        if case .starting = initiation { true } else { false }
    }

    /// Fails the direct requests of a turn. Its pending requests back off after a transient
    /// failure. After any other failure, they fail, unless the turn used the Filter Accept List. In
    /// this case, the list is no longer used, and the later turns for single devices show which of
    /// them fails. If the controller has no room for another link, the new requests of the turn fail,
    /// and those for which it has initiated before back off.
    ///
    /// - Parameter peer: The device of the failed attempt. If no request of the turn is for it, the
    ///   failure concerns all of them.
    private mutating func fail(
        _ turn: ConnectQueue.Turn,
        _ failure: CentralFailure,
        peer: DeviceAddress? = nil,
        now: Instant
    ) {
        var members = queue.requests.filter { turn.members.contains($0.id) && !$0.isCancelled }
        if members.contains(where: { $0.address == peer }) {
            members.removeAll { $0.address != peer }
        }
        if turn.target == .acceptList, !failure.isTransient, !failure.isLinkLimit {
            return acceptList.giveUp()
        }
        let lost = members.filter {
            guard $0.isPending else { return true }
            return failure.isLinkLimit ? !$0.wasInitiated : !failure.isTransient
        }
        .map(\.id)
        outbox += queue.remove { lost.contains($0.id) }.map { .connectFailed($0, failure) }
        queue.update(members.map(\.id)) { $0.backOff(now: now) }
    }
}

extension ConnectQueue.Request {
    fileprivate mutating func backOff(now: Instant) {
        let doubled = CentralScheduler.backoffMinimum * (1 << min(failureCount, 10))
        backoffEnd = now + min(doubled, CentralScheduler.backoffMaximum)
        failureCount += 1
    }
}

extension CentralFailure {
    fileprivate var isTransient: Bool {
        switch self {
        case .refused(let code): code.isTransient
        case .unanswered: true
        case .cancelled, .controllerReset, .tooManyRequests: false
        }
    }

    fileprivate var isLinkLimit: Bool {
        if case .refused(let code) = self { code.isLinkLimit } else { false }
    }
}
