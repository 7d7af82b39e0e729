// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Subscribing and unsubscribing.
extension ClientCore {
    mutating func startSubscribing(
        to characteristic: GATT.Characteristic,
        _ job: Job
    ) -> [Action] {
        let value = characteristic.valueHandle
        if subscriptions.isInForce(value) {
            if let session = job.session { subscriptions.add(session, to: value) }
            return end(job, job.request.succeeded(.done))
        }
        guard characteristic.subscriptionKind != nil else {
            return fail(job, ClientError.attribute(.requestNotSupported))
        }
        return isTableUnreadable
            ? findDescriptors(of: characteristic, job) : wait(.database, .table, job)
    }

    mutating func findDescriptors(
        of characteristic: GATT.Characteristic,
        _ job: Job
    ) -> [Action] {
        guard let range = characteristic.descriptorHandles else { return subscribe(by: [], job) }
        let operation = GATT.Operation.discoverDescriptors(
            first: range.lowerBound,
            last: range.upperBound
        )
        return wait(.gatt(operation), .descriptors, job)
    }

    mutating func subscribe(by descriptors: [GATT.Descriptor], _ job: Job) -> [Action] {
        guard let characteristic = job.request.newSubscription,
            let kind = characteristic.subscriptionKind
        else { return end(job, nil) }
        let descriptor = descriptors.first {
            $0.uuid == GATT.AttributeType.clientCharacteristicConfiguration
        }
        guard let descriptor else { return fail(job, ClientError.attribute(.attributeNotFound)) }
        subscriptions.begin(characteristic, by: descriptor.handle)
        if let session = job.session {
            subscriptions.add(session, to: characteristic.valueHandle)
        }
        let operation = GATT.Operation.subscribe(
            valueHandle: characteristic.valueHandle,
            descriptor: descriptor.handle,
            kind
        )
        return wait(.gatt(operation), .value, job)
    }

    mutating func stopSubscribing(
        to characteristic: GATT.Characteristic,
        _ job: Job
    ) -> [Action] {
        let value = characteristic.valueHandle
        guard let session = job.session else { return end(job, nil) }
        guard subscriptions.contains(session, value) else {
            return end(job, .notifyingSet(value, .success(false)))
        }
        guard subscriptions.receivers(of: value) == [session] else {
            subscriptions.remove(session, from: value)
            return end(job, .notifyingSet(value, .success(false)))
        }
        return unsubscribe(from: characteristic, job)
    }

    mutating func unsubscribe(
        from characteristic: GATT.Characteristic,
        _ job: Job
    ) -> [Action] {
        let value = characteristic.valueHandle
        let isUnwanted = job.session != nil || !subscriptions.isRequested(value)
        guard isUnwanted, let descriptor = subscriptions.descriptor(of: value) else {
            return end(job, nil)
        }
        let operation = GATT.Operation.unsubscribe(valueHandle: value, descriptor: descriptor)
        return wait(.gatt(operation), .value, job)
    }
}
