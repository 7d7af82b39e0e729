// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A command to a control point, with the rules by which its answer is recognized.
struct Procedure: Sendable {
    /// The result of a command, as its answer states it.
    enum Verdict: Hashable, Sendable {
        case executed
        case refused
    }

    let number: Int
    /// The encoded command.
    let command: Data
    /// Whether an indication is the answer; otherwise the response to the write is the answer.
    let isIndicated: Bool
    /// Whether the command ends the one that is under way.
    let isAbort: Bool
    /// The time limit of the answer.
    let limit: Duration
    /// A closure that returns the result that an indication states; `nil` if the indication does
    /// not answer the command.
    let verdict: @Sendable (Data) -> Verdict?
    /// The time at which the limit has passed; `nil` until the command is written.
    var deadline: Duration?
}

/// The reason why a procedure failed. ``ControlPointError`` adds the type of the control point's
/// refusals.
enum ProcedureFailure: Error, Hashable {
    case accessory(AccessoryError)
    case aborted
    case timedOut(after: Duration)
    case queueFull
}

/// The procedures of one control point. One procedure runs at a time; only an abort starts while
/// another procedure is running.
///
/// A running procedure whose task was canceled stays in the queue until its answer arrives or its
/// time limit has passed. Otherwise the next procedure would receive that answer.
struct ProcedureQueue: Sendable {
    /// The maximum number of procedures, including those that are under way.
    static let limit = 16

    /// The end of a procedure.
    struct End {
        let number: Int
        let result: Result<Data?, ProcedureFailure>
    }

    /// The control point, as it was discovered.
    let characteristic: AttributeReference
    /// The procedure in progress. While an abort is in progress, this is the abort.
    private(set) var running: Procedure?
    /// The procedure that the abort in `running` is to end; `nil` if there is none.
    private(set) var interrupted: Procedure?
    private(set) var waiting: [Procedure] = []

    init(of characteristic: AttributeReference) {
        self.characteristic = characteristic
    }

    /// Whether there are no procedures.
    var isEmpty: Bool { running == nil && interrupted == nil && waiting.isEmpty }

    /// The earliest deadline.
    var nextDeadline: Duration? {
        [running?.deadline, interrupted?.deadline].compactMap(\.self).min()
    }

    /// Adds a procedure. An abort precedes those that wait.
    ///
    /// - Throws: `queueFull`.
    mutating func add(_ procedure: Procedure) throws(ProcedureFailure) {
        let count = waiting.count + (running == nil ? 0 : 1) + (interrupted == nil ? 0 : 1)
        guard count < Self.limit else { throw .queueFull }
        let place = procedure.isAbort ? waiting.firstIndex { !$0.isAbort } : nil
        waiting.insert(procedure, at: place ?? waiting.endIndex)
    }

    /// Starts the next procedure if it may start.
    ///
    /// - Returns: The procedure, whose command must be written.
    mutating func next() -> Procedure? {
        guard let first = waiting.first else { return nil }
        if let running {
            guard first.isAbort, !running.isAbort else { return nil }
            interrupted = running
        }
        let procedure = waiting.removeFirst()
        running = procedure
        return procedure
    }

    /// Starts the time limit of a procedure, because its command is being written. The command may
    /// have waited for other writes.
    mutating func began(_ number: Int, now: Duration) {
        if let running, running.number == number {
            self.running?.deadline = now + running.limit
        } else if let interrupted, interrupted.number == number {
            self.interrupted?.deadline = now + interrupted.limit
        }
    }

    /// Handles the response to the write of a command.
    mutating func written(_ number: Int) -> [End] {
        guard let running, running.number == number, !running.isIndicated else { return [] }
        return finish(nil, .executed)
    }

    /// Handles the failure of the write of a command.
    mutating func failed(_ number: Int, _ error: AccessoryError) -> [End] {
        let failure = ProcedureFailure.accessory(error)
        if running?.number == number {
            // If the abort was not written, the interrupted procedure continues.
            (running, interrupted) = (interrupted, nil)
        } else if interrupted?.number == number {
            interrupted = nil
        } else {
            return []
        }
        return [End(number: number, result: .failure(failure))]
    }

    /// Handles an indicated value, which may be an answer.
    mutating func received(_ value: Data) -> [End] {
        if let running, running.isIndicated, let verdict = running.verdict(value) {
            return finish(value, verdict)
        }
        guard let interrupted, interrupted.verdict(value) != nil else { return [] }
        // The interrupted procedure ended before the abort.
        self.interrupted = nil
        return [End(number: interrupted.number, result: .success(value))]
    }

    /// Ends the running procedure. An executed abort also ends the interrupted procedure, which
    /// gets no answer of its own. Otherwise the interrupted procedure continues.
    private mutating func finish(_ value: Data?, _ verdict: Procedure.Verdict) -> [End] {
        guard let running else { return [] }
        let end = End(number: running.number, result: .success(value))
        guard let interrupted, verdict == .executed else {
            (self.running, self.interrupted) = (self.interrupted, nil)
            return [end]
        }
        (self.running, self.interrupted) = (nil, nil)
        return [End(number: interrupted.number, result: .failure(.aborted)), end]
    }

    /// Removes a procedure that has not started. A procedure that has started stays.
    mutating func withdraw(_ number: Int) {
        waiting.removeAll { $0.number == number }
    }

    /// Ends the procedures whose time limit has passed.
    mutating func deadlinePassed(now: Duration) -> [End] {
        var ends: [End] = []
        if let late = interrupted, let deadline = late.deadline, deadline <= now {
            interrupted = nil
            ends.append(End(number: late.number, result: .failure(.timedOut(after: late.limit))))
        }
        if let late = running, let deadline = late.deadline, deadline <= now {
            (running, interrupted) = (interrupted, nil)
            ends.append(End(number: late.number, result: .failure(.timedOut(after: late.limit))))
        }
        return ends
    }

    /// Ends all procedures, because the link has ended or the service has changed.
    mutating func end(_ error: AccessoryError) -> [End] {
        let all = [interrupted, running].compactMap(\.self) + waiting
        self = ProcedureQueue(of: characteristic)
        return all.map { End(number: $0.number, result: .failure(.accessory(error))) }
    }
}
