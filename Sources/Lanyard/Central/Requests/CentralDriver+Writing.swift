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
                withResponse: try kind.withResponse(characteristic),
                mayBeCut: mayBeCut
            )
            try entry.writes.add(job, now: driver.now)
            driver.write(entry)
        }
    }

    /// Performs the actions of the write queue until there are none.
    func write(_ entry: AccessoryEntry) {
        while let action = entry.writes.next(room(of: entry), now: now) {
            switch action {
            case .write(let chunk, let path, let withResponse):
                write(chunk, to: path, withResponse: withResponse, entry)
            case .progressed(let number, let sent): entry.replies[number]?.progress?(sent)
            case .finished(let number, let error):
                entry.replies.removeValue(forKey: number)?
                    .complete(error.map { .failure($0) } ?? .success(.done))
            }
        }
        updateDeadline(of: entry)
        for transport in entry.transports.values { transport.roomChanged() }
        pollRoom(of: entry)
    }

    /// Returns the room for writes. `RoomPoll` decides whether a write without response may use
    /// it.
    func room(of entry: AccessoryEntry) -> WriteRoom {
        var room = writeRoom(of: entry)
        guard room.withoutResponse > 0 else { return room }
        room.canSendWithoutResponse = entry.roomPoll.mayWrite(room.canSendWithoutResponse, now: now)
        return room
    }

    /// Schedules another check for room as long as a write waits for it.
    func pollRoom(of entry: AccessoryEntry) {
        // The room is read even if no write waits, because `RoomPoll` must learn that there is
        // some.
        let isWaiting =
            entry.writes.waitsForRoom(room(of: entry))
            || entry.transports.values.contains(where: \.waitsForRoom)
        entry.roomPoll.update(isWaiting: isWaiting, now: now)
        guard entry.roomPoll.nextCheck != entry.nextRoomCheck else { return }
        entry.nextRoomCheck = entry.roomPoll.nextCheck
        let timer =
            entry.roomTimer
            ?? timekeeper.makeTimer(on: queue) { [weak self, weak entry] in
                guard let self, let entry, !hasEnded else { return }
                write(entry)
            }
        entry.roomTimer = timer
        timer.set(to: entry.nextRoomCheck)
    }

    func write(
        _ chunk: Data,
        to path: CharacteristicPath,
        withResponse: Bool,
        _ entry: AccessoryEntry
    ) {
        guard let characteristic = entry.characteristic(path) else {
            return entry.writes.confirmed(
                path,
                .unknownCharacteristic(path.characteristic),
                now: now
            )
        }
        if !withResponse { entry.roomPoll.wrote() }
        record(.call, "writeValue \(path.characteristic)", entry, detail: "\(chunk.count) bytes")
        send(.write(chunk, to: characteristic.reference, withResponse: withResponse), entry)
    }
}

extension CentralDriver {
    /// Returns the room for writes as the system reports it.
    func writeRoom(of entry: AccessoryEntry) -> WriteRoom {
        guard entry.isLinked, let peripheral = entry.peripheral, let system else {
            return WriteRoom(withResponse: 0, withoutResponse: 0, canSendWithoutResponse: false)
        }
        return system.room(of: peripheral)
    }

    /// Returns the maximum lengths of writes; empty while there is no link.
    func writeLengths(of entry: AccessoryEntry) -> [WriteKind: Int] {
        guard entry.isLinked else { return [:] }
        let room = writeRoom(of: entry)
        return [
            .withResponse: room.withResponse,
            .withoutResponse: room.withoutResponse,
            .automatic: min(room.withResponse, room.withoutResponse),
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
