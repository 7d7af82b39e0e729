// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension CentralScheduler {
    /// Issues the next operation and returns the actions. Every input ends with this call.
    mutating func settle(now: Instant) -> [Action] {
        queue.endBackoffs(now: now)
        endWithdrawnRequests()
        updateShare(now: now)
        releaseAcceptList()
        if outstanding == nil, let dialect, let operation = nextOperation(now: now) {
            issue(operation, in: dialect)
        }
        settlePause()
        if let isScanning = scan.announcement() {
            outbox.append(.scanStateChanged(isScanning: isScanning))
        }
        defer { outbox = [] }
        return outbox
    }

    /// Ends the canceled requests that are not part of the controller's current turn.
    private mutating func endWithdrawnRequests() {
        let members = initiation.turn?.members ?? []
        for id in queue.remove(where: { $0.isCancelled && !members.contains($0.id) }) {
            outbox.append(.connectFailed(id, .cancelled))
        }
    }

    private mutating func issue(_ operation: ControllerOperation, in dialect: CommandDialect) {
        stepCount += 1
        let step = CentralStep(number: stepCount, operation: operation)
        outstanding = step
        outbox.append(.command(dialect.command(for: operation), step))
    }

    /// Returns the next operation. Stops come first, then the scanner, then the initiator.
    private mutating func nextOperation(now: Instant) -> ControllerOperation? {
        guard unansweredStopCount < Self.unansweredStopLimit else { return nil }
        if case .stale(let turn) = initiation {
            initiation = .cancelling(turn)
            return .cancelConnection
        }
        if case .running(let turn, let since) = initiation,
            hasToStop(turn, since: since, now: now)
        {
            initiation = .cancelling(turn)
            return .cancelConnection
        }
        return scan.nextOperation(mayRun: scannerMayRun, now: now) ?? nextInitiatingOperation()
    }

    /// Releases the Filter Accept List to the advertiser when no initiation uses the list and no
    /// change of the list is outstanding.
    private mutating func releaseAcceptList() {
        guard acceptListUser == .advertiserWaiting, outstanding?.operation.editsAcceptList != true
        else { return }
        if let turn = initiation.turn, turn.target == .acceptList { return }
        guard initiation.isIdle || initiation.turn != nil else { return }
        acceptListUser = .advertiser
        acceptList.forget()
        outbox.append(.acceptListReleased)
    }

    /// Reports `quiet` after `hold`, once the scan and the initiation have stopped and no
    /// command is outstanding.
    private mutating func settlePause() {
        guard pause == .asked, outstanding == nil, initiation.isIdle, scan.isOff else { return }
        pause = .made
        outbox.append(.quiet)
    }

    private mutating func nextInitiatingOperation() -> ControllerOperation? {
        guard pause == .none, initiation.isIdle, initiatorMayRun,
            let turn = queue.nextTurn(
                capacity: acceptListUser == .initiator ? acceptList.capacity : 0
            )
        else { return nil }
        if turn.target == .acceptList, let edit = acceptList.nextEdit(toward: turn.addresses) {
            return edit
        }
        initiation = .starting(turn)
        return .createConnection(turn.target, turn.parameters)
    }
}
