// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A queue that sends commands at the rate that the controller allows, and matches each answer to
/// its command (Vol 4, Part E, 4.4).
///
/// Every answer states how many more commands may be sent. Commands wait in the queue in order.
/// Each command that is not withdrawn ends exactly once: with its answer, with `.timedOut`, or with
/// `.discarded`.
///
/// A controller may fail to answer one command and work otherwise. The queue therefore abandons a
/// command without an answer after `responseTimeout` and sends a *probe*: Read Local Version
/// Information, which every controller answers. Until the probe is answered, the queue sends
/// nothing else. A controller processes commands in order. The answer to an abandoned command is
/// dropped if it arrives before the probe's answer, and cannot arrive later. If the probe is not
/// answered, the controller counts as lost: the queue returns `.unresponsive` and refuses all
/// commands until `reset()`.
package struct CommandQueue<Purpose: Sendable>: Sendable {
    package enum Action: Sendable {
        /// Send this H4 packet.
        case send([UInt8])
        /// The command that was enqueued for this purpose has ended.
        case finished(Purpose, CommandResult)
        /// The controller does not respond. Reset it or connect to it again.
        case unresponsive
    }

    private struct Sent {
        enum Owner {
            case caller(Purpose)
            case probe
            /// The queue has abandoned the command, but its answer may still arrive.
            case abandoned
        }

        var opcode: HCI.Opcode
        var isCompletedByStatus: Bool
        var owner: Owner
        /// The time at which the command times out, or `nil` if it is abandoned.
        var deadline: Instant?
    }

    private var pending: [(command: HCI.EncodedCommand, purpose: Purpose)] = []
    private var sent: [Sent] = []
    /// The number of commands that may be sent now. After power-on, it is one.
    private var budget = 1
    private var isProbing = false
    private var isUnresponsive = false
    /// The time at which the queue sends a probe because commands wait although none is
    /// outstanding.
    private var stallDeadline: Instant?

    package init() {}

    /// Enqueues a command and sends it if the controller allows.
    ///
    /// If the queue is full or has found the controller unresponsive, the command ends immediately
    /// with `.discarded`.
    package mutating func enqueue(
        _ command: HCI.EncodedCommand,
        for purpose: Purpose,
        now: Instant
    ) -> [Action] {
        guard !isUnresponsive, pending.count < CommandQueueLimits.pendingLimit else {
            return [.finished(purpose, .discarded)]
        }
        pending.append((command, purpose))
        return sendAllowed(now: now)
    }

    /// Removes the obsolete commands that are not sent yet.
    ///
    /// - Returns: The purposes of the removed commands. The queue reports no result for them.
    package mutating func withdraw(where isObsolete: (Purpose) -> Bool) -> [Purpose] {
        let withdrawn = pending.map(\.purpose).filter(isObsolete)
        guard !withdrawn.isEmpty else { return [] }
        pending.removeAll { isObsolete($0.purpose) }
        if pending.isEmpty { stallDeadline = nil }
        return withdrawn
    }

    /// Processes a Command Complete event.
    package mutating func commandCompleted(
        opcode: HCI.Opcode,
        allowedPackets: UInt8,
        returnParameters: ArraySlice<UInt8>,
        now: Instant
    ) -> [Action] {
        let wasProbing = isProbing
        let actions = finish(opcode, with: .complete(returnParameters), now: now)
        updateBudget(allowedPackets, hasAnsweredProbe: wasProbing && !isProbing)
        return actions + sendAllowed(now: now)
    }

    /// Processes a Command Status event.
    package mutating func commandStatus(
        opcode: HCI.Opcode,
        allowedPackets: UInt8,
        status: HCI.ErrorCode,
        now: Instant
    ) -> [Action] {
        let wasProbing = isProbing
        var actions: [Action] = []
        // A command that Command Complete answers is not ended by a Command Status that reports
        // success. A Command Status with an error refuses it.
        if status != .success || isCompletedByStatus(opcode) {
            actions = finish(opcode, with: .status(status), now: now)
        }
        updateBudget(allowedPackets, hasAnsweredProbe: wasProbing && !isProbing)
        return actions + sendAllowed(now: now)
    }

    /// The time at which to call `deadlinePassed(now:)`, or `nil` if no deadline is pending.
    package var nextDeadline: Instant? {
        var soonest = stallDeadline
        // This runs after every packet. A key path would be slow here, because a generic type
        // creates it again each time.
        for command in sent { soonest = earliest(soonest, command.deadline) }
        return soonest
    }

    /// Abandons the commands whose deadline has passed.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        var actions: [Action] = []
        var mustProbe = false
        for index in sent.indices {
            guard let deadline = sent[index].deadline, deadline <= now else { continue }
            switch sent[index].owner {
            case .probe: return becomeUnresponsive()
            case .abandoned: continue
            case .caller(let purpose):
                sent[index].owner = .abandoned
                sent[index].deadline = nil
                actions.append(.finished(purpose, .timedOut))
                mustProbe = true
            }
        }
        if let stallDeadline, stallDeadline <= now { mustProbe = true }
        if mustProbe, !isProbing { actions.append(sendProbe(now: now)) }
        return actions
    }

    /// Ends every command and returns the queue to its initial state, as after power-on.
    package mutating func reset() -> [Action] {
        let actions = discardAll()
        self = CommandQueue()
        return actions
    }
}

/// The limits and timeouts of every `CommandQueue`.
package enum CommandQueueLimits {
    /// The maximum number of commands that wait to be sent.
    package static let pendingLimit = 128
    /// The time in which a controller must answer a command.
    package static let responseTimeout = Duration.seconds(2)
    /// The time in which a controller must answer the probe.
    package static let probeTimeout = Duration.seconds(1)
}

extension CommandQueue {
    private func isCompletedByStatus(_ opcode: HCI.Opcode) -> Bool {
        sent.first { $0.opcode == opcode }?.isCompletedByStatus ?? false
    }

    /// Ends the command to which an answer with that opcode belongs.
    ///
    /// The queue ignores an answer without a command.
    private mutating func finish(
        _ opcode: HCI.Opcode,
        with result: CommandResult,
        now: Instant
    ) -> [Action] {
        guard let index = indexOfAnswered(opcode) else { return [] }
        let answered = sent.remove(at: index)
        switch answered.owner {
        case .caller(let purpose):
            extendProbe(now: now)
            return [.finished(purpose, result)]
        case .abandoned:
            extendProbe(now: now)
            return []
        case .probe:
            isProbing = false
            sent.removeAll { $0.deadline == nil }
            return []
        }
    }

    /// Returns the index of the command to which an answer belongs: the oldest with the opcode. The
    /// probe takes precedence, because the same command may just have been abandoned.
    private func indexOfAnswered(_ opcode: HCI.Opcode) -> Int? {
        let isProbe = { (sent: Sent) in
            if case .probe = sent.owner { return sent.opcode == opcode }
            return false
        }
        return sent.firstIndex(where: isProbe) ?? sent.firstIndex { $0.opcode == opcode }
    }

    /// Gives the probe more time, because any answer shows that the controller still works.
    private mutating func extendProbe(now: Instant) {
        for index in sent.indices {
            guard case .probe = sent[index].owner else { continue }
            sent[index].deadline = now + CommandQueueLimits.probeTimeout
        }
    }

    /// Updates the number of commands that may be sent now. The controller's number counts only
    /// commands that it has received. Commands in transit may be missing from that count, so all
    /// outstanding commands are subtracted. A controller that has just answered the probe can take
    /// a command, whatever number it reports.
    private mutating func updateBudget(_ allowedPackets: UInt8, hasAnsweredProbe: Bool) {
        let outstanding = sent.count { $0.deadline != nil }
        let least = hasAnsweredProbe && outstanding == 0 ? 1 : 0
        budget = max(least, Int(allowedPackets) - outstanding)
    }

    private mutating func sendAllowed(now: Instant) -> [Action] {
        var actions: [Action] = []
        while !isProbing, !isUnresponsive, budget > 0, !pending.isEmpty {
            let (command, purpose) = pending.removeFirst()
            budget -= 1
            let deadline = now + CommandQueueLimits.responseTimeout
            sent.append(
                Sent(
                    opcode: command.opcode,
                    isCompletedByStatus: command.isCompletedByStatus,
                    owner: .caller(purpose),
                    deadline: deadline
                )
            )
            actions.append(.send(command.h4Packet))
        }
        let isStalled = !pending.isEmpty && sent.allSatisfy { $0.deadline == nil }
        stallDeadline = isStalled ? stallDeadline ?? now + CommandQueueLimits.responseTimeout : nil
        return actions
    }

    /// Sends the probe, regardless of the number of allowed commands, because that number may be
    /// wrong.
    private mutating func sendProbe(now: Instant) -> Action {
        let probe = HCI.EncodedCommand(HCI.ReadLocalVersionInformation())
        isProbing = true
        stallDeadline = nil
        sent.append(
            Sent(
                opcode: probe.opcode,
                isCompletedByStatus: false,
                owner: .probe,
                deadline: now + CommandQueueLimits.probeTimeout
            )
        )
        return .send(probe.h4Packet)
    }

    private mutating func becomeUnresponsive() -> [Action] {
        let actions = discardAll()
        self = CommandQueue()
        isUnresponsive = true
        return actions + [.unresponsive]
    }

    private func discardAll() -> [Action] {
        let outstanding = sent.compactMap { sent -> Action? in
            guard case .caller(let purpose) = sent.owner else { return nil }
            return .finished(purpose, .discarded)
        }
        return outstanding + pending.map { .finished($0.purpose, .discarded) }
    }
}

extension CommandQueue.Action: Equatable where Purpose: Equatable {}
