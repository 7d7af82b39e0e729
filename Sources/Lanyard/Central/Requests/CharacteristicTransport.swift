// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Carries messages over two characteristics of an accessory: the library writes to one and
/// subscribes to the other.
///
/// Unchecked: used on the driver's queue only, which is also the transport's queue.
final class CharacteristicTransport: MessageTransport, @unchecked Sendable {
    private let driver: CentralDriver
    private let mirror: AccessoryMirror
    private let writing: BluetoothID
    private let listening: BluetoothID
    private let kind: WriteKind
    private weak var keeper: AccessoryKeeper?
    private var number = 0
    private var receiver: (@Sendable (MessageTransportEvent) -> Void)?
    private var isLinked = false
    private var wantsRoom = false

    init(
        _ driver: CentralDriver,
        _ mirror: AccessoryMirror,
        writing: BluetoothID,
        as kind: WriteKind,
        listening: BluetoothID
    ) {
        self.driver = driver
        self.mirror = mirror
        self.writing = writing
        self.kind = kind
        self.listening = listening
    }

    var queue: DispatchQueue { driver.queue }

    // MARK: Transport

    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        let keeper = driver.keeper(with: mirror)
        guard let keeper, keeper.path(of: writing) != nil, keeper.path(of: listening) != nil else {
            return receiver(.ended(driver.hasEnded ? AccessoryError.shutDown : unknown))
        }
        self.receiver = receiver
        self.keeper = keeper
        number = driver.nextNumber()
        keeper.transports[number] = self
        if mirror.change.state == .ready { setLinked(true) }
    }

    private var unknown: AccessoryError {
        .unknownCharacteristic(mirror.description.path(of: writing) == nil ? writing : listening)
    }

    var maximumChunk: Int {
        keeper?.writeRoom.length(withResponse: withResponse ?? true, cut: true) ?? 0
    }

    func send(_ chunk: Data) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        guard isLinked, let keeper else { return false }
        do throws(AccessoryError) {
            let (path, withResponse) = try way(in: keeper)
            guard hasRoom(keeper, withResponse) else {
                wantsRoom = true
                driver.watchRoom(of: keeper)
                return false
            }
            try write(chunk, to: path, withResponse, keeper)
        } catch {
            // Waiting would not help: the accessory lacks what the channel needs.
            refused(error)
        }
        return true
    }

    private func write(
        _ chunk: Data,
        to path: CharacteristicPath,
        _ withResponse: Bool,
        _ keeper: AccessoryKeeper
    ) throws(AccessoryError) {
        let job = driver.nextNumber()
        let write = WriteJob(number: job, value: chunk, path: path, withResponse: withResponse)
        try keeper.writes.add(write, now: driver.now)
        keeper.replies[job] = RequestReply { [weak self] result in
            self?.written(result.map { _ in }, withResponse)
        }
        driver.write(keeper)
    }

    /// Returns the path and the kind of write for chunks.
    ///
    /// - Throws: `unknownCharacteristic` if one of the two is missing, `notPermitted` if the other
    ///   kind of write is needed.
    private func way(
        in keeper: AccessoryKeeper
    ) throws(AccessoryError) -> (CharacteristicPath, withResponse: Bool) {
        guard let path = keeper.path(of: writing), let written = keeper.characteristic(path) else {
            throw .unknownCharacteristic(writing)
        }
        guard let other = keeper.path(of: listening), keeper.characteristic(other) != nil else {
            throw .unknownCharacteristic(listening)
        }
        return (path, try kind.withResponse(written))
    }

    func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        receiver = nil
        keeper?.transports[number] = nil
        keeper = nil
    }

    /// Chunks must not overtake other writes.
    private func hasRoom(_ keeper: AccessoryKeeper, _ withResponse: Bool) -> Bool {
        keeper.writes.isIdle && (withResponse || driver.room(of: keeper).isThere)
    }

    private var withResponse: Bool? {
        guard let keeper else { return nil }
        return try? way(in: keeper).withResponse
    }

    private func written(_ result: Result<Void, AccessoryError>, _ withResponse: Bool) {
        let path = keeper?.path(of: listening)
        switch result {
        case .success:
            // A write without response gives no sign that the message was accepted.
            guard withResponse, let keeper, let path else { return }
            driver.messageAccepted(path, keeper)
        case .failure(let error):
            refused(error)
            guard let keeper, let path, isLinked else { return }
            driver.messageRefused(path, error, keeper)
        }
    }

    private func refused(_ error: AccessoryError) {
        switch error {
        // The end of the link is reported separately.
        case .writeInterrupted, .linkEnded: return
        default: if isLinked { receiver?(.refused(error)) }
        }
    }

    // MARK: For the driver

    /// Whether the transport waits for room for a write without response.
    var waitsForRoom: Bool { wantsRoom && isLinked && withResponse == false }

    /// Sets whether the accessory is ready.
    func setLinked(_ isLinked: Bool) {
        guard isLinked != self.isLinked else { return }
        self.isLinked = isLinked
        wantsRoom = false
        receiver?(isLinked ? .linked : .unlinked(AccessoryError.linkEnded))
    }

    func valueCame(_ value: Data, of path: CharacteristicPath) {
        guard isLinked, path == keeper?.path(of: listening) else { return }
        receiver?(.received(value))
    }

    func roomChanged() {
        guard wantsRoom, isLinked, let keeper, let withResponse else { return }
        guard hasRoom(keeper, withResponse) else { return }
        wantsRoom = false
        receiver?(.hasRoom)
    }

    func end() {
        setLinked(false)
        let receiver = receiver
        self.receiver = nil
        keeper = nil
        receiver?(.ended(AccessoryError.shutDown))
    }
}
