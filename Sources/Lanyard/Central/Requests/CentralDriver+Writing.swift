// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CentralDriver {
    func write(
        _ value: Data,
        to characteristic: BluetoothID,
        of snapshot: AccessorySnapshot,
        as kind: WriteKind,
        mayBeCut: Bool,
        _ progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(AccessoryError) {
        _ = try await ask(snapshot, progress) { driver, entry, number throws(AccessoryError) in
            let (path, characteristic) = try driver.characteristic(characteristic, of: entry)
            let job = WriteJob(
                number: number,
                value: value,
                path: path,
                characteristic: characteristic.reference,
                withResponse: try kind.withResponse(characteristic),
                mayBeCut: mayBeCut
            )
            try entry.writes.add(job, now: driver.now)
            driver.write(entry)
        }
    }

    /// Performs the actions of the write queue until there are none.
    func write(_ entry: AccessoryEntry) {
        while let action = entry.writes.next(writeCapacity(of: entry), now: now) {
            switch action {
            case .write(let chunk, let characteristic, let path, let withResponse):
                write(chunk, to: characteristic, path, withResponse: withResponse, entry)
                if let job = entry.writes.jobUnderWay { entry.replies[job]?.begun?() }
            case .progressed(let number, let sent): entry.replies[number]?.progress?(sent)
            case .finished(let number, let error):
                entry.replies.removeValue(forKey: number)?
                    .complete(error.map { .failure($0) } ?? .success(.done))
            }
        }
        updateDeadline(of: entry)
        for transport in entry.transports.values { transport.capacityChanged() }
        checkReadiness(of: entry)
    }

    /// Returns the capacity for writes. `WriteReadiness` decides whether a write without response
    /// may use it.
    func writeCapacity(of entry: AccessoryEntry) -> WriteCapacity {
        var capacity = systemWriteCapacity(of: entry)
        guard capacity.withoutResponse > 0 else { return capacity }
        capacity.canSendWithoutResponse = entry.writeReadiness.mayWrite(
            capacity.canSendWithoutResponse,
            now: now
        )
        return capacity
    }

    /// Schedules another check of the capacity as long as a write waits for it.
    func checkReadiness(of entry: AccessoryEntry) {
        // The capacity is read even if no write waits, because `WriteReadiness` must learn that
        // there is some.
        let isWaiting =
            entry.writes.waitsForRoom(writeCapacity(of: entry))
            || entry.transports.values.contains(where: \.waitsForRoom)
        entry.writeReadiness.update(isWaiting: isWaiting, now: now)
        guard entry.writeReadiness.nextCheck != entry.nextReadinessCheck else { return }
        entry.nextReadinessCheck = entry.writeReadiness.nextCheck
        let timer =
            entry.readinessTimer
            ?? timekeeper.makeTimer(on: queue) { [weak self, weak entry] in
                guard let self, let entry, !hasEnded else { return }
                write(entry)
            }
        entry.readinessTimer = timer
        timer.set(to: entry.nextReadinessCheck)
    }

    func write(
        _ chunk: Data,
        to characteristic: AttributeReference,
        _ path: CharacteristicPath,
        withResponse: Bool,
        _ entry: AccessoryEntry
    ) {
        guard entry.peripheral?.attribute(characteristic) != nil else {
            return entry.writes.confirmed(
                path,
                .unknownCharacteristic(path.characteristic),
                now: now
            )
        }
        if !withResponse { entry.writeReadiness.wrote() }
        record(.call, "writeValue \(path.characteristic)", entry, detail: "\(chunk.count) bytes")
        send(.write(chunk, to: characteristic, withResponse: withResponse), entry)
    }
}

extension CentralDriver {
    /// Returns the capacity for writes as the system reports it.
    func systemWriteCapacity(of entry: AccessoryEntry) -> WriteCapacity {
        guard entry.isLinked, let peripheral = entry.peripheral, let system else {
            return WriteCapacity(withResponse: 0, withoutResponse: 0, canSendWithoutResponse: false)
        }
        return system.writeCapacity(of: peripheral)
    }

    /// Returns the maximum lengths of writes; empty while there is no link.
    func writeLengths(of entry: AccessoryEntry) -> [WriteKind: Int] {
        guard entry.isLinked else { return [:] }
        let capacity = systemWriteCapacity(of: entry)
        return [
            .withResponse: capacity.withResponse,
            .withoutResponse: capacity.withoutResponse,
            .automatic: min(capacity.withResponse, capacity.withoutResponse),
        ]
    }
}

extension WriteKind {
    /// Returns whether a write to the characteristic has a response.
    ///
    /// - Throws: `notPermitted` if the characteristic does not permit this kind of write.
    func withResponse(_ characteristic: SystemAttribute) throws(AccessoryError) -> Bool {
        let allowsWith = characteristic.properties.contains(.write)
        let allowsWithout = characteristic.properties.contains(.writeWithoutResponse)
        switch self {
        case .automatic where allowsWith, .withResponse where allowsWith: return true
        case .automatic where allowsWithout, .withoutResponse where allowsWithout: return false
        default: throw .notPermitted(characteristic.identifier)
        }
    }
}
