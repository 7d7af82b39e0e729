// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

extension CentralDriver {
    func write(
        _ value: Data,
        to characteristic: BluetoothID,
        of mirror: AccessoryMirror,
        as kind: WriteKind,
        mayBeCut: Bool,
        _ progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(AccessoryError) {
        _ = try await ask(mirror, progress) { driver, keeper, number throws(AccessoryError) in
            let (path, characteristic) = try driver.characteristic(characteristic, of: keeper)
            let job = WriteJob(
                number: number,
                value: value,
                path: path,
                withResponse: try kind.withResponse(characteristic),
                mayBeCut: mayBeCut
            )
            try keeper.writes.add(job, now: driver.now)
            driver.write(keeper)
        }
    }

    /// Performs the actions of the write queue until there are none.
    func write(_ keeper: AccessoryKeeper) {
        while let action = keeper.writes.next(room(of: keeper), now: now) {
            switch action {
            case .write(let chunk, let path, let withResponse):
                write(chunk, to: path, withResponse: withResponse, keeper)
            case .progressed(let number, let sent): keeper.replies[number]?.progress?(sent)
            case .finished(let number, let error):
                keeper.replies.removeValue(forKey: number)?
                    .give(error.map { .failure($0) } ?? .success(.done))
            }
        }
        updateDeadline(of: keeper)
        for transport in keeper.transports.values { transport.roomChanged() }
        watchRoom(of: keeper)
    }

    /// Returns the room for writes.
    func room(of keeper: AccessoryKeeper) -> WriteRoom {
        var room = keeper.writeRoom
        guard room.withoutResponse > 0 else { return room }
        room.isThere = keeper.roomWatch.mayWrite(room.isThere, now: now)
        return room
    }

    /// Schedules another check for room as long as a write waits for it.
    func watchRoom(of keeper: AccessoryKeeper) {
        let isWaiting =
            keeper.writes.waitsForRoom(room(of: keeper))
            || keeper.transports.values.contains(where: \.waitsForRoom)
        keeper.roomWatch.update(isWaiting: isWaiting, now: now)
        guard keeper.roomWatch.nextLook != keeper.nextLook else { return }
        keeper.nextLook = keeper.roomWatch.nextLook
        let timer =
            keeper.roomTimer
            ?? timekeeper.makeTimer(on: queue) { [weak self, weak keeper] in
                guard let self, let keeper, !hasEnded else { return }
                write(keeper)
            }
        keeper.roomTimer = timer
        timer.set(to: keeper.nextLook)
    }

    func write(
        _ chunk: Data,
        to path: CharacteristicPath,
        withResponse: Bool,
        _ keeper: AccessoryKeeper
    ) {
        let type: CBCharacteristicWriteType = withResponse ? .withResponse : .withoutResponse
        guard let characteristic = keeper.characteristic(path) else {
            return keeper.writes.confirmed(
                path,
                .unknownCharacteristic(path.characteristic),
                now: now
            )
        }
        if !withResponse { keeper.roomWatch.wrote() }
        record(.call, "writeValue \(path.characteristic)", keeper, detail: "\(chunk.count) bytes")
        keeper.peripheral?.writeValue(chunk, for: characteristic, type: type)
    }
}

extension AccessoryKeeper {
    var writeRoom: WriteRoom {
        guard isLinked, let peripheral else {
            return WriteRoom(withResponse: 0, withoutResponse: 0, isThere: false)
        }
        return WriteRoom(
            withResponse: peripheral.maximumWriteValueLength(for: .withResponse),
            withoutResponse: peripheral.maximumWriteValueLength(for: .withoutResponse),
            isThere: peripheral.canSendWriteWithoutResponse
        )
    }
}

extension AccessoryKeeper {
    /// The maximum lengths of writes; empty while there is no link.
    var writeLengths: [WriteKind: Int] {
        guard isLinked else { return [:] }
        let room = writeRoom
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
    func withResponse(_ characteristic: CBCharacteristic) throws(AccessoryError) -> Bool {
        let allowsWith = characteristic.properties.contains(.write)
        let allowsWithout = characteristic.properties.contains(.writeWithoutResponse)
        switch self {
        case .automatic where allowsWith, .withResponse where allowsWith: return true
        case .automatic where allowsWithout, .withoutResponse where allowsWithout: return false
        default: throw .notPermitted(BluetoothID(characteristic.uuid))
        }
    }
}
