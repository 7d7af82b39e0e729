// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// The app's requests to accessories. Each request has a number, and a task waits for its answer.

extension CentralDriver {
    // MARK: Requests

    func read(
        _ characteristic: BluetoothID,
        of mirror: AccessoryMirror
    ) async throws(AccessoryError) -> Data {
        let answer = try await ask(mirror) { driver, keeper, number throws(AccessoryError) in
            let (path, characteristic) = try driver.characteristic(characteristic, of: keeper)
            guard characteristic.properties.contains(.read) else {
                throw .notPermitted(path.characteristic)
            }
            try driver.expect(.read(path), number, keeper)
            driver.record(.call, "readValue \(path.characteristic)", keeper)
            keeper.peripheral?.readValue(for: characteristic)
        }
        guard case .value(let value) = answer else { throw .linkEnded }
        return value
    }

    func rssi(of mirror: AccessoryMirror) async throws(AccessoryError) -> Int {
        let answer = try await ask(mirror) { driver, keeper, number throws(AccessoryError) in
            try driver.expect(.signal, number, keeper)
            driver.record(.call, "readRSSI", keeper)
            keeper.peripheral?.readRSSI()
        }
        guard case .signal(let signal) = answer else { throw .linkEnded }
        return signal
    }

    func openChannel(
        _ psm: UInt16,
        to mirror: AccessoryMirror
    ) async throws(AccessoryError) -> ByteChannel {
        let answer = try await ask(mirror) { driver, keeper, number throws(AccessoryError) in
            try driver.expect(.channel(psm), number, keeper)
            driver.record(.call, "openL2CAPChannel \(psm)", keeper)
            keeper.peripheral?.openL2CAPChannel(psm)
        }
        guard case .channel(let channel) = answer else { throw .linkEnded }
        return channel
    }

    /// Starts a request on the queue and waits for its answer.
    func ask(
        _ mirror: AccessoryMirror,
        _ progress: (@Sendable (Int) -> Void)? = nil,
        _ begin:
            @escaping @Sendable (CentralDriver, AccessoryKeeper, Int) throws(AccessoryError) -> Void
    ) async throws(AccessoryError) -> RequestAnswer {
        let reply = Promise<RequestAnswer>()
        enter(orElse: { reply.give(.failure(.shutDown)) }) { driver in
            driver.begin(begin, for: mirror, reply, progress)
        }
        return try await reply.wait()
    }

    private func begin(
        _ begin: (CentralDriver, AccessoryKeeper, Int) throws(AccessoryError) -> Void,
        for mirror: AccessoryMirror,
        _ reply: Promise<RequestAnswer>,
        _ progress: (@Sendable (Int) -> Void)?
    ) {
        guard !reply.isOver else { return }
        guard let keeper = keeper(with: mirror), keeper.isLinked else {
            reply.give(.failure(.notConnected))
            return
        }
        let number = nextNumber()
        reply.onCancel { [weak self] in
            self?.enter { $0.abandon(number, keeper) }
        }
        keeper.replies[number] = RequestReply(give: { reply.give($0) }, progress: progress)
        do throws(AccessoryError) {
            try begin(self, keeper, number)
        } catch {
            keeper.replies[number] = nil
            reply.give(.failure(error))
        }
        updateDeadline(of: keeper)
    }

    /// Drops a request whose task was canceled.
    private func abandon(_ number: Int, _ keeper: AccessoryKeeper) {
        guard keeper.replies.removeValue(forKey: number) != nil else { return }
        keeper.requests.abandon(number)
        keeper.writes.cancel(number, now: now)
        write(keeper)
    }

    private func expect(
        _ subject: RequestTable.Subject,
        _ number: Int,
        _ keeper: AccessoryKeeper
    ) throws(AccessoryError) {
        guard !keeper.requests.isFull else { throw .tooManyRequests(limit: RequestTable.limit) }
        let deadline = now + keeper.description.timeouts.requests
        keeper.requests.add(number, subject, deadline: deadline)
    }

    /// Returns a characteristic as it was discovered on the current link.
    func characteristic(
        _ identifier: BluetoothID,
        of keeper: AccessoryKeeper
    ) throws(AccessoryError) -> (CharacteristicPath, CBCharacteristic) {
        guard let path = keeper.path(of: identifier) else {
            throw .unknownCharacteristic(identifier)
        }
        guard keeper.isLinked else { throw .notConnected }
        guard let characteristic = keeper.characteristic(path) else {
            throw .unknownCharacteristic(identifier)
        }
        return (path, characteristic)
    }

    // MARK: Answers

    /// Passes a received value to the request that reads it, and to the subscribers.
    func valueCame(
        _ value: Data,
        of path: CharacteristicPath,
        _ error: (any Error)?,
        _ peripheral: CBPeripheral,
        _ keeper: AccessoryKeeper
    ) {
        let asked = keeper.requests.answered { $0 == .read(path) || $0 == .probe(path) }
        if error == nil { show(value, of: path, keeper) }
        guard let asked else { return }
        if case .probe = asked.subject {
            feed(.link(peripheral, .probed(error.map { LinkFailure($0) })), to: keeper)
        } else {
            let answer: Result<RequestAnswer, AccessoryError> =
                error.map { .failure(AccessoryError($0)) } ?? .success(.value(value))
            keeper.replies.removeValue(forKey: asked.number)?.give(answer)
        }
        updateDeadline(of: keeper)
    }

    private func show(_ value: Data, of path: CharacteristicPath, _ keeper: AccessoryKeeper) {
        for transport in keeper.transports.values { transport.valueCame(value, of: path) }
        // If several services have the characteristic, the app means the first one in the
        // description.
        guard keeper.path(of: path.characteristic) == path else { return }
        if !keeper.mirror.show(value, of: path.characteristic) {
            record(
                .note,
                "values of \(path.characteristic) were dropped: a reader is too slow",
                keeper
            )
        }
    }

    func answer(
        _ subject: RequestTable.Subject,
        _ keeper: AccessoryKeeper,
        _ answer: Result<RequestAnswer, AccessoryError>
    ) {
        guard let asked = keeper.requests.answered({ $0 == subject }) else { return }
        keeper.replies.removeValue(forKey: asked.number)?.give(answer)
        updateDeadline(of: keeper)
    }

    func channelOpened(
        _ channel: CBL2CAPChannel?,
        _ error: (any Error)?,
        _ keeper: AccessoryKeeper
    ) {
        // An error does not name the channel's number, so it belongs to the first request.
        let asked = keeper.requests.answered { subject in
            guard case .channel(let psm) = subject else { return false }
            return channel.map { $0.psm == psm } ?? true
        }
        let reply = asked.flatMap { keeper.replies.removeValue(forKey: $0.number) }
        guard let reply else { return }
        defer { updateDeadline(of: keeper) }
        guard let channel, let pipe = ChannelPipe(channel, timekeeper) else {
            return reply.give(.failure(error.map { AccessoryError($0) } ?? .linkEnded))
        }
        reply.give(.success(.channel(ByteChannel(pipe, psm: channel.psm))))
    }

    // MARK: Ends

    /// Fails all requests, because the link has ended.
    func failRequests(of keeper: AccessoryKeeper, _ error: AccessoryError) {
        keeper.requests.removeAll()
        keeper.writes.linkEnded()
        write(keeper)
        let replies = keeper.replies.sorted { $0.key < $1.key }.map(\.value)
        keeper.replies = [:]
        for reply in replies { reply.give(.failure(error)) }
        updateDeadline(of: keeper)
    }

    /// Fails the requests about services that have changed, because the accessory will not answer
    /// them.
    func failRequests(of keeper: AccessoryKeeper, about services: Set<BluetoothID>) {
        for number in keeper.requests.removeAll(of: services) {
            keeper.replies.removeValue(forKey: number)?.give(.failure(.servicesChanged))
        }
        keeper.writes.servicesChanged(services, now: now)
        write(keeper)
    }

    /// Sets the timer to the earliest deadline.
    func updateDeadline(of keeper: AccessoryKeeper) {
        let deadline = [keeper.requests.nextDeadline, keeper.writes.deadline].compactMap { $0 }
            .min()
        guard deadline != keeper.requestDeadline else { return }
        keeper.requestDeadline = deadline
        let timer =
            keeper.requestTimer
            ?? timekeeper.makeTimer(on: queue) { [weak self, weak keeper] in
                guard let self, let keeper, !hasEnded else { return }
                deadlinePassed(keeper)
            }
        keeper.requestTimer = timer
        timer.set(to: deadline)
    }

    private func deadlinePassed(_ keeper: AccessoryKeeper) {
        keeper.requestDeadline = nil
        let patience = keeper.description.timeouts.requests
        for number in keeper.requests.expired(now: now) {
            record(.note, "an answer did not come in time", keeper)
            keeper.replies.removeValue(forKey: number)?
                .give(.failure(.requestTimedOut(after: patience)))
        }
        keeper.writes.deadlinePassed(now: now)
        write(keeper)
    }
}

extension AccessoryError {
    /// Converts the error that Core Bluetooth reports for a request.
    init(_ error: any Error) {
        switch error {
        case let error as CBATTError:
            self = .refused(code: error.code.rawValue, text: error.localizedDescription)
        case let error as CBError where error.code == .notConnected: self = .linkEnded
        default: self = .refused(code: nil, text: error.localizedDescription)
        }
    }
}
