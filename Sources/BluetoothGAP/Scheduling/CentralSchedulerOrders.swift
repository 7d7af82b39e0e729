// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension CentralScheduler {
    /// Brings the controller one order closer to what is wanted, and hands out what was decided:
    /// the last thing that every input does.
    mutating func settle(now: Instant) -> [Action] {
        queue.wake(now: now)
        endWithdrawnRequests()
        settleShare(now: now)
        if outstanding == nil, let dialect, let order = nextOrder(now: now) {
            issue(order, in: dialect)
        }
        if let isScanning = scan.announcement() {
            outbox.append(.scanStateChanged(isScanning: isScanning))
        }
        defer { outbox = [] }
        return outbox
    }

    /// Ends the requests that were withdrawn and for which the controller does nothing (any more).
    private mutating func endWithdrawnRequests() {
        let members = initiation.turn?.members ?? []
        for id in queue.remove(where: { $0.isCancelled && !members.contains($0.id) }) {
            outbox.append(.connectFailed(id, .cancelled))
        }
    }

    private mutating func issue(_ order: ControllerOrder, in dialect: CommandDialect) {
        stepCount += 1
        let step = Step(number: stepCount, order: order)
        outstanding = step
        outbox.append(.command(dialect.command(for: order), step))
    }

    /// What to order next: first end what must not go on, then see to the scanner, then to the
    /// initiator.
    private mutating func nextOrder(now: Instant) -> ControllerOrder? {
        if case .stale = initiation {
            initiation = .cancelling(nil)
            return .cancelConnection
        }
        if case .running(let turn, let since) = initiation,
            hasToStop(turn, since: since, now: now)
        {
            initiation = .cancelling(turn)
            return .cancelConnection
        }
        return scan.nextOrder(mayRun: scannerMayRun, now: now) ?? nextInitiatingOrder()
    }

    private mutating func nextInitiatingOrder() -> ControllerOrder? {
        guard initiation.isIdle, initiatorMayRun,
            let turn = queue.nextTurn(capacity: acceptList.capacity)
        else { return nil }
        if turn.target == .acceptList, let edit = acceptList.nextEdit(toward: turn.addresses) {
            return edit
        }
        initiation = .starting(turn)
        return .createConnection(turn.target, turn.parameters)
    }
}
