// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The numbers of procedures, for any thread.
final class ProcedureNumbers: Sendable {
    private let last = Locked(0)

    func next() -> Int {
        last.change { last in
            last += 1
            return last
        }
    }
}

// Commands to control points.
extension CentralDriver {
    typealias ProcedureReply = @Sendable (Result<Data?, ProcedureFailure>) -> Void

    /// Executes a command. Returns the indication that answers it, or `nil` if the response to the
    /// write is the answer.
    func perform(
        _ procedure: Procedure,
        on characteristic: BluetoothID,
        of snapshot: AccessorySnapshot
    ) async -> Result<Data?, ProcedureFailure> {
        let number = procedure.number
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = Task.isCancelled
                let reply: ProcedureReply = { continuation.resume(returning: $0) }
                execute(orElse: { reply(.failure(.accessory(.shutDown))) }) { driver in
                    guard !isCancelled else { return reply(.failure(.accessory(.cancelled))) }
                    driver.begin(procedure, on: characteristic, of: snapshot, reply)
                }
                // If the task was canceled before `execute`, the cancellation handler found no
                // procedure.
                if !isCancelled, Task.isCancelled { withdraw(number, snapshot) }
            }
        } onCancel: {
            withdraw(number, snapshot)
        }
    }

    private func withdraw(_ number: Int, _ snapshot: AccessorySnapshot) {
        execute { driver in
            guard let entry = driver.entry(with: snapshot) else { return }
            for path in entry.procedures.keys { entry.procedures[path]?.withdraw(number) }
            entry.procedureReplies.removeValue(forKey: number)?(
                .failure(.accessory(.cancelled))
            )
        }
    }

    private func begin(
        _ procedure: Procedure,
        on characteristic: BluetoothID,
        of snapshot: AccessorySnapshot,
        _ reply: @escaping ProcedureReply
    ) {
        guard let entry = entry(with: snapshot), entry.isLinked else {
            return reply(.failure(.accessory(.notConnected)))
        }
        do throws(ProcedureFailure) {
            let (path, found) = try place(of: procedure, on: characteristic, entry)
            try entry.procedures[path, default: ProcedureQueue(of: found)].add(procedure)
            entry.procedureReplies[procedure.number] = reply
            startProcedures(path, entry)
        } catch {
            reply(.failure(error))
        }
    }

    /// Returns the control point that can execute and answer the command.
    private func place(
        of procedure: Procedure,
        on characteristic: BluetoothID,
        _ entry: AccessoryEntry
    ) throws(ProcedureFailure) -> (CharacteristicPath, AttributeReference) {
        do throws(AccessoryError) {
            let (path, found) = try self.characteristic(characteristic, of: entry)
            _ = try WriteKind.withResponse.withResponse(found)
            guard !procedure.isIndicated || found.isNotifying else {
                throw .notPermitted(characteristic)
            }
            return (path, found.reference)
        } catch {
            throw .accessory(error)
        }
    }

    /// Writes the commands that may start.
    private func startProcedures(_ path: CharacteristicPath, _ entry: AccessoryEntry) {
        while let characteristic = entry.procedures[path]?.characteristic,
            let procedure = entry.procedures[path]?.next()
        {
            let (number, job) = (procedure.number, nextNumber())
            let write = WriteJob(
                number: job,
                value: procedure.command,
                path: path,
                characteristic: characteristic,
                withResponse: true
            )
            do throws(AccessoryError) {
                try entry.writes.add(write, now: now)
                entry.replies[job] = RequestReply(
                    complete: { [weak self, weak entry] result in
                        guard let self, let entry else { return }
                        written(number, path, result, entry)
                    },
                    begun: { [weak self, weak entry] in
                        guard let self, let entry else { return }
                        entry.procedures[path]?.began(number, now: now)
                    }
                )
                self.write(entry)
            } catch {
                end(entry.procedures[path]?.failed(number, error), entry)
            }
        }
        if entry.procedures[path]?.isEmpty == true { entry.procedures[path] = nil }
        updateDeadline(of: entry)
    }

    private func written(
        _ number: Int,
        _ path: CharacteristicPath,
        _ result: Result<RequestAnswer, AccessoryError>,
        _ entry: AccessoryEntry
    ) {
        switch result {
        case .success: end(entry.procedures[path]?.written(number), entry)
        case .failure(let error): end(entry.procedures[path]?.failed(number, error), entry)
        }
        startProcedures(path, entry)
    }

    /// Passes a value to the procedure that it may answer.
    func answerProcedure(_ value: Data, _ path: CharacteristicPath, _ entry: AccessoryEntry) {
        guard let ends = entry.procedures[path]?.received(value), !ends.isEmpty else { return }
        end(ends, entry)
        startProcedures(path, entry)
    }

    /// Ends the procedures whose time limit has passed.
    func endLateProcedures(_ entry: AccessoryEntry) {
        for path in entry.procedures.keys.sorted() {
            guard let ends = entry.procedures[path]?.deadlinePassed(now: now), !ends.isEmpty else {
                continue
            }
            end(ends, entry)
            startProcedures(path, entry)
        }
    }

    /// Fails all procedures, because the link or the driver has ended, or because the accessory was
    /// removed.
    func failProcedures(of entry: AccessoryEntry, _ error: AccessoryError) {
        for path in entry.procedures.keys.sorted() { failProcedures(path, error, entry) }
    }

    /// Fails the procedures of these services, because the services have changed. Those of a valid
    /// control point continue: another service with the same UUID has changed.
    func failProcedures(
        of entry: AccessoryEntry,
        about services: Set<BluetoothID>,
        unless isValid: (AttributeReference) -> Bool
    ) {
        for (path, queue) in entry.procedures.sorted(by: { $0.key < $1.key })
        where services.contains(path.service) && !isValid(queue.characteristic) {
            failProcedures(path, .servicesChanged, entry)
        }
    }

    private func failProcedures(
        _ path: CharacteristicPath,
        _ error: AccessoryError,
        _ entry: AccessoryEntry
    ) {
        let ends = entry.procedures[path]?.end(error)
        entry.procedures[path] = nil
        end(ends, entry)
    }

    private func end(_ ends: [ProcedureQueue.End]?, _ entry: AccessoryEntry) {
        for end in ends ?? [] {
            entry.procedureReplies.removeValue(forKey: end.number)?(end.result)
        }
    }
}
