// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Accessory {
    // MARK: Control points

    /// Executes a command of a control point: writes it, and waits for the answer.
    ///
    /// ```swift
    /// let answer = try await meter.perform(RecordAccessCommand.count(.all))
    /// ```
    ///
    /// The description declares the characteristic with the role `write`, and with `subscribe` if
    /// the accessory answers with indications; a ``ControlPoint`` in a profile does so. A control
    /// point executes one command at a time: other commands wait for their turn, except an abort.
    /// ``values(of:)`` receives all indications, including the answers.
    ///
    /// If the task is canceled, the accessory may execute the command nevertheless, and the next
    /// command waits until it has answered or the time limit has passed.
    ///
    /// - Parameters:
    ///   - command: The command, which names the characteristic. If several services have it, the
    ///     first one in the description applies.
    ///   - timeout: The time limit of the answer, from the moment at which the command is written.
    /// - Returns: The result.
    /// - Throws: ``ControlPointError/refused(_:)`` and the other cases of ``ControlPointError``.
    ///   ``ControlPointError/accessory(_:)`` has the errors of ``write(_:to:as:)``, and
    ///   ``AccessoryError/notPermitted(_:)`` if the accessory does not indicate the characteristic
    ///   to this app.
    public func perform<Command: ControlPointCommand>(
        _ command: Command,
        timeout: Duration = .seconds(30)
    ) async throws(ControlPointError<Command.Refusal>) -> Command.Answer {
        let procedure = Procedure(
            number: driver.procedureNumbers.next(),
            command: command.bytes,
            isIndicated: Command.isIndicated,
            isAbort: command.isAbort,
            limit: timeout
        ) { indication in
            do throws(ValueError) {
                switch try command.answer(to: indication) {
                case .done: return .executed
                case .refused: return .refused
                case nil: return nil
                }
            } catch {
                // An invalid answer also ends the procedure.
                return .refused
            }
        }
        let result = await driver.perform(procedure, on: Command.identifier, of: snapshot)
        switch result {
        case .failure(let failure): throw Command.error(failure)
        case .success(let indication): return try command.result(indication)
        }
    }
}

extension ControlPointCommand {
    fileprivate func result(
        _ indication: Data?
    ) throws(ControlPointError<Refusal>) -> Answer {
        let answer: ControlPointAnswer<Answer, Refusal>?
        do throws(ValueError) {
            answer = try self.answer(to: indication)
        } catch {
            throw .malformed(error)
        }
        switch answer {
        case .done(let value): return value
        case .refused(let refusal): throw .refused(refusal)
        case nil: throw .malformed(.invalid(field: "answer"))
        }
    }

    /// Converts the failure of a procedure. The code 0xFE means that another procedure is under way
    /// (Core Specification Supplement, Part B, 1.2). If the response to the write is the answer, a
    /// code of `Refusal` means that the control point refused the command.
    fileprivate static func error(_ failure: ProcedureFailure) -> ControlPointError<Refusal> {
        switch failure {
        case .aborted: .aborted
        case .timedOut(let limit): .timedOut(after: limit)
        case .queueFull: .tooManyCommands(limit: ProcedureQueue.limit)
        case .accessory(.refused(code: 0xFE, text: _)): .busy
        case .accessory(let error):
            if case .refused(let code?, text: _) = error, !isIndicated,
                let refusal = UInt8(exactly: code).flatMap(Refusal.init(rawValue:))
            {
                .refused(refusal)
            } else {
                .accessory(error)
            }
        }
    }
}
