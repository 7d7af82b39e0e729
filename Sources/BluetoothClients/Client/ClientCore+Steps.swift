// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The steps of a request.
extension ClientCore {
    mutating func advance(
        _ job: Job,
        _ result: Result<PortAnswer, any Error>
    ) -> [Action] {
        switch (job.stage, result) {
        case (.table, .success(.database(let table))): return tableFound(table, job)
        case (.table, .failure(let error)): return tableRefused(error, job)
        case (.part, .success(.gatt(let outcome))):
            guard case .find(let search) = job.request else { return end(job, nil) }
            var actions: [Action] = []
            if case .services(let services) = outcome { actions = note(services) }
            return actions + end(job, search.answer(to: outcome))
        case (.descriptors, .success(.gatt(.descriptors(let found)))):
            return subscribe(by: found, job)
        case (.value, .success(.gatt(let outcome))): return valueDone(outcome, job)
        case (.value, .failure(let error)) where job.mayRepeat(after: error):
            return begin(anew: job)
        case (_, .failure(let error)): return failed(job, error)
        default: return fail(job, ClientError.failed(.unknown))
        }
    }

    mutating func failed(_ job: Job, _ error: any Error) -> [Action] {
        if let characteristic = job.request.newSubscription {
            subscriptions.end(characteristic.valueHandle)
        }
        if case .unsubscribe(let characteristic) = job.request {
            subscriptions.end(characteristic.valueHandle)
        }
        return fail(job, ClientFailure.error(error) ?? ClientError.failed(.unknown))
    }

    private mutating func tableFound(_ table: GATT.Database, _ job: Job) -> [Action] {
        isTableUnreadable = false
        return note(table.services.map(\.service)) + resume(job, with: table)
    }

    private mutating func resume(_ job: Job, with table: GATT.Database) -> [Action] {
        switch job.request {
        case .find(let search): return end(job, search.answer(in: table))
        case .refresh: return end(job, nil)
        default: break
        }
        guard job.request.isFound(in: table) else { return fail(job, ClientSearch.staleness) }
        guard let characteristic = job.request.newSubscription else { return startOperation(job) }
        let handle = characteristic.valueHandle
        return subscribe(by: table.characteristic(valueHandle: handle)?.descriptors ?? [], job)
    }

    /// Continues without the database if the peripheral does not allow reading a part of it. The
    /// request may not need that part.
    private mutating func tableRefused(_ error: any Error, _ job: Job) -> [Action] {
        switch error {
        case GATT.Failure.attribute(.databaseOutOfSync, _): return failed(job, error)
        case GATT.Failure.attribute, GATT.Failure.protocolViolation: isTableUnreadable = true
        default: return failed(job, error)
        }
        switch job.request {
        case .find(let search): return findPart(search, job)
        case .setNotifying(_, let characteristic), .renotify(let characteristic):
            return findDescriptors(of: characteristic, job)
        default: return failed(job, error)
        }
    }

    mutating func findPart(_ search: ClientSearch, _ job: Job) -> [Action] {
        guard let operation = search.operation else {
            return end(job, search.answer(to: .descriptors([])))
        }
        return wait(.gatt(operation), .part, job)
    }
}

// Requests for values.
extension ClientCore {
    mutating func startOperation(_ job: Job) -> [Action] {
        if case .write(_, let value) = job.request, value.count > GATT.valueLengthLimit {
            return fail(job, ClientError.attribute(.invalidAttributeValueLength))
        }
        if case .writeDescriptor(_, let value) = job.request, value.count > GATT.valueLengthLimit {
            return fail(job, ClientError.attribute(.invalidAttributeValueLength))
        }
        guard let operation = job.request.operation else { return end(job, nil) }
        return wait(.gatt(operation), .value, job)
    }

    mutating func valueDone(_ outcome: GATT.Outcome, _ job: Job) -> [Action] {
        switch job.request {
        case .setNotifying(true, let characteristic), .renotify(let characteristic):
            subscriptions.agreed(characteristic.valueHandle)
            // The managers that subscribed may have disconnected meanwhile.
            if !subscriptions.isRequested(characteristic.valueHandle) {
                enqueue(.unsubscribe(characteristic), for: nil)
            }
        case .setNotifying(false, let characteristic), .unsubscribe(let characteristic):
            subscriptions.end(characteristic.valueHandle)
        default: break
        }
        return end(job, job.request.succeeded(outcome))
    }

    /// Repeats a request after the database changed: reads the database again and checks that the
    /// attribute still exists.
    mutating func begin(anew job: Job) -> [Action] {
        var job = job
        job.isRepeated = true
        return wait(.database, .table, job)
    }
}

extension ClientCore.Job {
    /// Returns whether a request that was refused because the database changed may be repeated.
    fileprivate func mayRepeat(after error: any Error) -> Bool {
        guard !isRepeated, case GATT.Failure.attribute(.databaseOutOfSync, _) = error else {
            return false
        }
        if case .unsubscribe = request { return false }
        return true
    }
}
