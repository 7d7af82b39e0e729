// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension CentralScheduler {
    /// Draws the conclusions from the answer to an order.
    mutating func finish(_ order: ControllerOrder, _ outcome: OrderOutcome, now: Instant) {
        switch order {
        case .setScanParameters, .enableScan, .disableScan:
            finishScanOrder(order, outcome, now: now)
        case .clearAcceptList, .addToAcceptList, .removeFromAcceptList:
            finishEdit(order, outcome, now: now)
        case .createConnection: finishCreate(outcome, now: now)
        case .cancelConnection: finishCancel(outcome, now: now)
        }
    }

    // MARK: - Scanning

    private mutating func finishScanOrder(
        _ order: ControllerOrder,
        _ outcome: OrderOutcome,
        now: Instant
    ) {
        switch (order, outcome) {
        case (.disableScan, _):
            // Refused means that it does not scan. Unanswered: should it still scan, then it will
            // refuse the next parameters, and be told again.
            scan.disabled()
        case (.setScanParameters(let parameters), .accepted): scan.parametersAccepted(parameters)
        case (_, .accepted): scan.enabled(now: now)
        case (_, .disallowed) where !initiation.isIdle && !scanExcludesInitiation:
            refusedOverlap = true
        default:
            guard scan.refused(outcome) else { return }
            scan.want(nil, until: nil)
            outbox.append(.scanFailed(outcome.failure))
        }
    }

    // MARK: - The Filter Accept List

    private mutating func finishEdit(
        _ order: ControllerOrder,
        _ outcome: OrderOutcome,
        now: Instant
    ) {
        switch (order, outcome) {
        case (.clearAcceptList, .accepted): acceptList.cleared()
        case (.addToAcceptList(let address), .accepted): acceptList.added(address)
        case (.removeFromAcceptList(let address), .accepted): acceptList.removed(address)
        case (.addToAcceptList, .refused(.memoryCapacityExceeded)): acceptList.filledUp()
        case (_, .disallowed) where refusalCount < Self.refusalLimit:
            // It must be initiating from the list without our knowledge.
            refusalCount += 1
            acceptList.forget()
            initiation = .stale
        case (_, .unanswered) where refusalCount < Self.refusalLimit:
            refusalCount += 1
            acceptList.forget()
        default:
            refusalCount = 0
            acceptList.giveUp()
        }
    }

    // MARK: - Initiating

    private mutating func finishCreate(_ outcome: OrderOutcome, now: Instant) {
        guard case .starting(let turn) = initiation else { return }
        switch outcome {
        case .accepted:
            initiation = .running(turn, since: now)
            refusalCount = 0
        case .disallowed where scan.isOn && !refusedOverlap:
            refusedOverlap = true
            initiation = .idle
        case .disallowed where refusalCount < Self.refusalLimit:
            refusalCount += 1
            initiation = .stale
        default:
            endInitiation(of: turn)
            refusalCount = 0
            fail(turn, outcome.failure, now: now)
        }
    }

    private mutating func finishCancel(_ outcome: OrderOutcome, now: Instant) {
        guard case .cancelling(let turn) = initiation else { return }
        if outcome == .accepted {
            initiation = .awaitingEnd(turn, until: now + Self.endLimit)
        } else {
            // Refused means that it does not initiate. Unanswered: should it still initiate, then
            // it will refuse the next attempt, and be told again.
            endInitiation(of: turn)
        }
    }

    /// The controller initiates no more; those who were to be connected go to the back.
    mutating func endInitiation(of turn: ConnectQueue.Turn?) {
        initiation = .idle
        if let turn { queue.rotate(turn) }
    }

    /// A link was made. It belongs to those who want one to this device; to those who no longer
    /// want it only if there is nobody else.
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

    /// An initiation has ended without a link: the present one, unless that has only just been
    /// ordered, for then an older one has come to its end late.
    mutating func connectionFailed(_ status: HCI.ErrorCode, peer: DeviceAddress, now: Instant) {
        guard !initiation.isIdle, !isStarting else { return }
        let ended = initiation
        endInitiation(of: ended.turn)
        switch ended {
        case .running(let turn, _): fail(turn, .refused(status), peer: peer, now: now)
        case .cancelling(let turn?), .awaitingEnd(let turn?, _):
            guard status != .unknownConnectionIdentifier else { return }
            fail(turn, .refused(status), peer: peer, now: now)
        default: break
        }
    }

    private var isStarting: Bool {
        if case .starting = initiation { true } else { false }
    }

    /// Tells the direct members of a turn that it failed, and lets the standing ones rest.
    ///
    /// - Parameter peer: who it was that could not be reached; if it is no member, all are meant.
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
        if turn.target == .acceptList, !failure.isTransient {
            // Whoever is to blame will be found when each is dialled alone.
            return acceptList.giveUp()
        }
        let lost = members.filter { !$0.isStanding || !failure.isTransient }.map(\.id)
        outbox += queue.remove { lost.contains($0.id) }.map { .connectFailed($0, failure) }
        queue.update(members.map(\.id)) { $0.rest(now: now) }
    }
}

extension ConnectQueue.Request {
    fileprivate mutating func rest(now: Instant) {
        let doubled = CentralScheduler.restMinimum * (1 << min(failureCount, 10))
        restsUntil = now + min(doubled, CentralScheduler.restMaximum)
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
}
