// SPDX-License-Identifier: Apache-2.0

import Foundation

// The app's requests to accessories. Each request has a number, and a task waits for its answer.

extension CentralDriver {
    // MARK: Requests

    func read(
        _ characteristic: BluetoothID,
        of snapshot: AccessorySnapshot
    ) async throws(AccessoryError) -> Data {
        let answer = try await ask(snapshot) { driver, entry, number throws(AccessoryError) in
            let (path, characteristic) = try driver.characteristic(characteristic, of: entry)
            guard characteristic.properties.contains(.read) else {
                throw .notPermitted(path.characteristic)
            }
            try driver.expect(.read(path), of: characteristic.reference, number, entry)
            driver.record(.call, "readValue \(path.characteristic)", entry)
            driver.send(.read(characteristic.reference), entry)
        }
        guard case .value(let value) = answer else { throw .linkEnded }
        return value
    }

    func rssi(of snapshot: AccessorySnapshot) async throws(AccessoryError) -> Int {
        let answer = try await ask(snapshot) { driver, entry, number throws(AccessoryError) in
            try driver.expect(.signal, number, entry)
            driver.record(.call, "readRSSI", entry)
            driver.send(.readSignal, entry)
        }
        guard case .signal(let signal) = answer else { throw .linkEnded }
        return signal
    }

    func openChannel(
        _ psm: UInt16,
        to snapshot: AccessorySnapshot
    ) async throws(AccessoryError) -> ByteChannel {
        let answer = try await ask(snapshot) { driver, entry, number throws(AccessoryError) in
            try driver.expect(.channel(psm), number, entry)
            driver.record(.call, "openL2CAPChannel \(psm)", entry)
            driver.send(.openChannel(psm), entry)
        }
        guard case .channel(let channel) = answer else { throw .linkEnded }
        return channel
    }

    /// Starts a request on the queue and waits for its answer.
    func ask(
        _ snapshot: AccessorySnapshot,
        _ progress: (@Sendable (Int) -> Void)? = nil,
        _ begin:
            @escaping @Sendable (CentralDriver, AccessoryEntry, Int) throws(AccessoryError) -> Void
    ) async throws(AccessoryError) -> RequestAnswer {
        let reply = Promise<RequestAnswer>()
        execute(orElse: { reply.complete(.failure(.shutDown)) }) { driver in
            driver.begin(begin, for: snapshot, reply, progress)
        }
        return try await reply.wait()
    }

    private func begin(
        _ begin: (CentralDriver, AccessoryEntry, Int) throws(AccessoryError) -> Void,
        for snapshot: AccessorySnapshot,
        _ reply: Promise<RequestAnswer>,
        _ progress: (@Sendable (Int) -> Void)?
    ) {
        guard !reply.isOver else { return }
        guard let entry = entry(with: snapshot), entry.isLinked else {
            reply.complete(.failure(.notConnected))
            return
        }
        let number = nextNumber()
        reply.onCancel { [weak self] in
            self?.execute { $0.abandon(number, entry) }
        }
        entry.replies[number] = RequestReply(complete: { reply.complete($0) }, progress: progress)
        do throws(AccessoryError) {
            try begin(self, entry, number)
        } catch {
            entry.replies[number] = nil
            reply.complete(.failure(error))
        }
        updateDeadline(of: entry)
    }

    /// Drops a request whose task was canceled.
    private func abandon(_ number: Int, _ entry: AccessoryEntry) {
        guard entry.replies.removeValue(forKey: number) != nil else { return }
        entry.requests.abandon(number)
        entry.writes.cancel(number, now: now)
        write(entry)
    }

    func expect(
        _ subject: RequestTable.Subject,
        of characteristic: AttributeReference? = nil,
        _ number: Int,
        _ entry: AccessoryEntry
    ) throws(AccessoryError) {
        guard !entry.requests.isFull else { throw .tooManyRequests(limit: RequestTable.limit) }
        let deadline = now + entry.description.timeouts.requests
        entry.requests.add(number, subject, of: characteristic, deadline: deadline)
    }

    /// Returns a characteristic as it was discovered on the current link.
    func characteristic(
        _ identifier: BluetoothID,
        of entry: AccessoryEntry
    ) throws(AccessoryError) -> (CharacteristicPath, SystemAttribute) {
        guard let path = entry.path(of: identifier) else {
            throw .unknownCharacteristic(identifier)
        }
        guard entry.isLinked else { throw .notConnected }
        guard let characteristic = entry.characteristic(path) else {
            throw .unknownCharacteristic(identifier)
        }
        return (path, characteristic)
    }

    func send(_ request: PeripheralRequest, _ entry: AccessoryEntry) {
        guard let peripheral = entry.peripheral else { return }
        system?.send(request, to: peripheral)
    }

    // MARK: Answers

    /// Passes a received value to the request that reads it, and to the subscribers.
    func valueReceived(
        _ value: Data,
        of attribute: SystemAttribute,
        _ failure: LinkFailure?,
        _ peripheral: SystemPeripheral,
        _ entry: AccessoryEntry
    ) {
        guard let path = attribute.path else { return }
        let asked = entry.requests.answered {
            $0 == .read(path) || $0 == .probe(path) || $0 == .value(attribute.reference)
        }
        if failure == nil {
            show(value, of: path, entry)
            if asked == nil { answerProcedure(value, path, entry) }
        }
        guard let asked else { return }
        if case .probe = asked.subject {
            feed(.link(peripheral, .probed(failure)), to: entry)
        } else {
            let answer: Result<RequestAnswer, AccessoryError> =
                failure.map { .failure(AccessoryError($0)) } ?? .success(.value(value))
            entry.replies.removeValue(forKey: asked.number)?.complete(answer)
        }
        updateDeadline(of: entry)
    }

    private func show(_ value: Data, of path: CharacteristicPath, _ entry: AccessoryEntry) {
        for transport in entry.transports.values { transport.valueReceived(value, of: path) }
        // If several services have the characteristic, the app means the first one in the
        // description.
        guard entry.path(of: path.characteristic) == path else { return }
        if !entry.snapshot.show(value, of: path.characteristic) {
            record(
                .note,
                "values of \(path.characteristic) were dropped: a reader is too slow",
                entry
            )
        }
    }

    func answer(
        _ subject: RequestTable.Subject,
        _ entry: AccessoryEntry,
        _ failure: LinkFailure?,
        _ answer: RequestAnswer
    ) {
        guard let asked = entry.requests.answered({ $0 == subject }) else { return }
        entry.replies.removeValue(forKey: asked.number)?
            .complete(failure.map { .failure(AccessoryError($0)) } ?? .success(answer))
        updateDeadline(of: entry)
    }

    func channelOpened(
        _ channel: SystemChannel?,
        _ failure: LinkFailure?,
        _ entry: AccessoryEntry
    ) {
        // An error does not name the PSM, so it belongs to the oldest request for a channel.
        let asked = entry.requests.answered { subject in
            guard case .channel(let psm) = subject else { return false }
            return channel.map { $0.psm == psm } ?? true
        }
        let reply = asked.flatMap { entry.replies.removeValue(forKey: $0.number) }
        guard let reply else { return }
        defer { updateDeadline(of: entry) }
        guard let channel else {
            return reply.complete(.failure(failure.map { AccessoryError($0) } ?? .linkEnded))
        }
        let pipe = ByteChannelPipe(channel, timekeeper)
        reply.complete(.success(.channel(ByteChannel(pipe, psm: channel.psm))))
    }

    // MARK: Ends

    /// Fails all writes with `writeInterrupted` and all other requests with this error, because the
    /// link or the driver has ended, or because the accessory was removed.
    func failRequests(of entry: AccessoryEntry, _ error: AccessoryError) {
        entry.requests.removeAll()
        failProcedures(of: entry, error)
        entry.writes.linkEnded()
        write(entry)
        let replies = entry.replies.sorted { $0.key < $1.key }.map(\.value)
        entry.replies = [:]
        for reply in replies { reply.complete(.failure(error)) }
        updateDeadline(of: entry)
    }

    /// Fails the requests about services that have changed, because the accessory will not answer
    /// them.
    func failRequests(of entry: AccessoryEntry, about services: Set<BluetoothID>) {
        let peripheral = entry.peripheral
        let isValid = { (reference: AttributeReference) in peripheral?.attribute(reference) != nil }
        for number in entry.requests.removeAll(of: services, unless: isValid) {
            entry.replies.removeValue(forKey: number)?.complete(.failure(.servicesChanged))
        }
        failExplorations(of: entry)
        failProcedures(of: entry, about: services, unless: isValid)
        entry.writes.servicesChanged(services, unless: isValid, now: now)
        write(entry)
    }

    /// Sets the timer to the earliest deadline.
    func updateDeadline(of entry: AccessoryEntry) {
        let procedures = entry.procedures.values.compactMap(\.nextDeadline)
        let deadline =
            ([entry.requests.nextDeadline, entry.writes.deadline].compactMap { $0 }
            + procedures).min()
        guard deadline != entry.requestDeadline else { return }
        entry.requestDeadline = deadline
        let timer =
            entry.requestTimer
            ?? timekeeper.makeTimer(on: queue) { [weak self, weak entry] in
                guard let self, let entry, !hasEnded else { return }
                deadlinePassed(entry)
            }
        entry.requestTimer = timer
        timer.set(to: deadline)
    }

    private func deadlinePassed(_ entry: AccessoryEntry) {
        entry.requestDeadline = nil
        let limit = entry.description.timeouts.requests
        for number in entry.requests.expired(now: now) {
            record(.note, "a request timed out", entry)
            entry.replies.removeValue(forKey: number)?
                .complete(.failure(.requestTimedOut(after: limit)))
        }
        endLateProcedures(entry)
        entry.writes.deadlinePassed(now: now)
        write(entry)
    }
}

extension AccessoryError {
    /// Converts the failure of a request.
    init(_ failure: LinkFailure) {
        switch failure.code {
        case .attribute(let code): self = .refused(code: code, text: failure.text)
        case .link(LinkFailure.notConnected): self = .linkEnded
        default: self = .refused(code: nil, text: failure.text)
        }
    }
}
