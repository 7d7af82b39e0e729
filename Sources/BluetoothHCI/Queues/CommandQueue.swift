// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Sends commands no faster than the controller takes them, and finds the command that each answer
/// belongs to (Vol 4, Part E, 4.4).
///
/// Every answer says how many more commands may be sent. Commands wait here for that, in order, and
/// each ends exactly once: with its answer, or `.timedOut`, or `.discarded`.
///
/// A controller may be deaf to one command and well otherwise. So a command without an answer is
/// given up after `responseTimeout`, and a *probe* goes out, Read Local Version Information, which
/// every controller answers. Until that is answered nothing else is sent. A controller works
/// through commands in order: what it answers before the probe may still be the command that was
/// given up, and is dropped; what it has not answered by then it never will. An unanswered probe
/// means that nobody is there any more: `.unresponsive`, and the queue refuses all commands until
/// `reset()`.
package struct CommandQueue<Purpose: Sendable>: Sendable {
    package enum Action: Sendable {
        /// Send this H4 packet.
        case send([UInt8])
        /// The command that was queued for this purpose has ended.
        case finished(Purpose, CommandResult)
        /// The controller is gone; reset it, or connect to it again.
        case unresponsive
    }

    private struct Sent {
        enum Owner {
            case caller(Purpose)
            case probe
            /// Given up; an answer to it may still come.
            case nobody
        }

        var opcode: HCI.Opcode
        var isCompletedByStatus: Bool
        var owner: Owner
        /// Nil when nobody waits any more.
        var deadline: Instant?
    }

    private var pending: [(command: HCI.EncodedCommand, purpose: Purpose)] = []
    private var sent: [Sent] = []
    /// How many commands may be sent now. After power-on it is one.
    private var budget = 1
    private var isProbing = false
    private var isUnresponsive = false
    /// When commands that may not be sent, though nothing is outstanding, have waited too long.
    private var stallDeadline: Instant?

    package init() {}

    /// Queues a command, and sends it if it may be sent. A full or unresponsive queue ends it at
    /// once, as `.discarded`.
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

    /// Takes back the commands that were not sent yet and whose purpose is obsolete. Returns the
    /// purposes; nothing more is said of them.
    package mutating func withdraw(where isObsolete: (Purpose) -> Bool) -> [Purpose] {
        let withdrawn = pending.map(\.purpose).filter(isObsolete)
        guard !withdrawn.isEmpty else { return [] }
        pending.removeAll { isObsolete($0.purpose) }
        if pending.isEmpty { stallDeadline = nil }
        return withdrawn
    }

    /// A Command Complete event came.
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

    /// A Command Status event came.
    package mutating func commandStatus(
        opcode: HCI.Opcode,
        allowedPackets: UInt8,
        status: HCI.ErrorCode,
        now: Instant
    ) -> [Action] {
        let wasProbing = isProbing
        var actions: [Action] = []
        // A command that ends with Command Complete may be refused, but not be done, this way.
        if status != .success || isCompletedByStatus(opcode) {
            actions = finish(opcode, with: .status(status), now: now)
        }
        updateBudget(allowedPackets, hasAnsweredProbe: wasProbing && !isProbing)
        return actions + sendAllowed(now: now)
    }

    /// When `deadlinePassed(now:)` is to be called; nil if nothing is awaited.
    package var nextDeadline: Instant? {
        var soonest = stallDeadline
        // Asked after every packet. No key path, then: a generic type makes it anew each time.
        for command in sent { soonest = earliest(soonest, command.deadline) }
        return soonest
    }

    /// Gives up what has waited too long.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        var actions: [Action] = []
        var mustProbe = false
        for index in sent.indices {
            guard let deadline = sent[index].deadline, deadline <= now else { continue }
            switch sent[index].owner {
            case .probe: return becomeUnresponsive()
            case .nobody: continue
            case .caller(let purpose):
                sent[index].owner = .nobody
                sent[index].deadline = nil
                actions.append(.finished(purpose, .timedOut))
                mustProbe = true
            }
        }
        if let stallDeadline, stallDeadline <= now { mustProbe = true }
        if mustProbe, !isProbing { actions.append(sendProbe(now: now)) }
        return actions
    }

    /// Ends every command and starts afresh, as for a controller that was just switched on.
    package mutating func reset() -> [Action] {
        let actions = discardAll()
        self = CommandQueue()
        return actions
    }
}

/// The bounds and times of every `CommandQueue`.
package enum CommandQueueLimits {
    /// How many commands may wait to be sent.
    package static let pendingLimit = 128
    /// How long a controller may take to answer.
    package static let responseTimeout = Duration.seconds(2)
    /// How long it may take to answer the probe.
    package static let probeTimeout = Duration.seconds(1)
}

extension CommandQueue {
    private func isCompletedByStatus(_ opcode: HCI.Opcode) -> Bool {
        sent.first { $0.opcode == opcode }?.isCompletedByStatus ?? false
    }

    /// Ends the oldest command with that opcode. An answer to none is ignored: it came late, or
    /// the controller made it up.
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
        case .nobody:
            extendProbe(now: now)
            return []
        case .probe:
            isProbing = false
            sent.removeAll { $0.deadline == nil }
            return []
        }
    }

    /// The probe first: the same command may have been given up just before.
    private func indexOfAnswered(_ opcode: HCI.Opcode) -> Int? {
        let isProbe = { (sent: Sent) in
            if case .probe = sent.owner { return sent.opcode == opcode }
            return false
        }
        return sent.firstIndex(where: isProbe) ?? sent.firstIndex { $0.opcode == opcode }
    }

    /// Any answer shows that the controller is alive, if slow.
    private mutating func extendProbe(now: Instant) {
        for index in sent.indices {
            guard case .probe = sent[index].owner else { continue }
            sent[index].deadline = now + CommandQueueLimits.probeTimeout
        }
    }

    /// What the controller allows counts what it has received. Commands still on the way to it
    /// may not be among that, so they are taken off. A
    /// controller that has just answered the probe can take a command, whatever it says.
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

    /// The probe does not ask the budget: it goes out because the budget may be wrong.
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
