// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A transport of messages over two characteristics of an accessory: the library writes to one and
/// subscribes to the other.
///
/// Unchecked: used on the driver's queue only, which is also the transport's queue.
final class CharacteristicTransport: MessageTransport, @unchecked Sendable {
    private let driver: CentralDriver
    private let snapshot: AccessorySnapshot
    private let writing: BluetoothID
    private let listening: BluetoothID
    private let kind: WriteKind
    private weak var entry: AccessoryEntry?
    private var number = 0
    private var receiver: (@Sendable (MessageTransportEvent) -> Void)?
    private var isLinked = false
    private var awaitsRoom = false

    init(
        _ driver: CentralDriver,
        _ snapshot: AccessorySnapshot,
        writing: BluetoothID,
        as kind: WriteKind,
        listening: BluetoothID
    ) {
        self.driver = driver
        self.snapshot = snapshot
        self.writing = writing
        self.kind = kind
        self.listening = listening
    }

    var queue: DispatchQueue { driver.queue }

    // MARK: Transport

    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        // Without a record, the accessory was forgotten or the driver has ended.
        guard let entry = driver.entry(with: snapshot) else {
            return receiver(.ended(AccessoryError.shutDown))
        }
        guard entry.path(of: writing) != nil, entry.path(of: listening) != nil else {
            return receiver(.ended(unknown))
        }
        self.receiver = receiver
        self.entry = entry
        number = driver.nextNumber()
        entry.transports[number] = self
        if snapshot.change.state == .ready { setLinked(true) }
    }

    private var unknown: AccessoryError {
        .unknownCharacteristic(snapshot.description.path(of: writing) == nil ? writing : listening)
    }

    var maximumChunk: Int {
        entry.map {
            driver.systemWriteCapacity(of: $0).length(withResponse: withResponse ?? true, cut: true)
        }
            ?? 0
    }

    func send(_ chunk: Data) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        guard isLinked, let entry else { return false }
        do throws(AccessoryError) {
            let (path, characteristic, withResponse) = try writeTarget(in: entry)
            guard hasRoom(entry, withResponse) else {
                awaitsRoom = true
                driver.checkReadiness(of: entry)
                return false
            }
            try write(chunk, to: path, characteristic, withResponse, entry)
        } catch {
            // The transport must not wait for room, because the error has another cause. For
            // example, the accessory lacks one of the characteristics.
            refused(error)
        }
        return true
    }

    private func write(
        _ chunk: Data,
        to path: CharacteristicPath,
        _ characteristic: AttributeReference,
        _ withResponse: Bool,
        _ entry: AccessoryEntry
    ) throws(AccessoryError) {
        let job = driver.nextNumber()
        let write = WriteJob(
            number: job,
            value: chunk,
            path: path,
            characteristic: characteristic,
            withResponse: withResponse
        )
        try entry.writes.add(write, now: driver.now)
        entry.replies[job] = RequestReply { [weak self] result in
            self?.written(result.map { _ in }, withResponse)
        }
        driver.write(entry)
    }

    /// Returns the characteristic and the kind of write for chunks.
    ///
    /// - Throws: `unknownCharacteristic` if one of the two characteristics is missing,
    ///   `notPermitted` if the written one does not permit this kind of write.
    private func writeTarget(
        in entry: AccessoryEntry
    ) throws(AccessoryError) -> (CharacteristicPath, AttributeReference, withResponse: Bool) {
        guard let path = entry.path(of: writing), let written = entry.characteristic(path) else {
            throw .unknownCharacteristic(writing)
        }
        guard let other = entry.path(of: listening), entry.characteristic(other) != nil else {
            throw .unknownCharacteristic(listening)
        }
        return (path, written.reference, try kind.withResponse(written))
    }

    func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        receiver = nil
        entry?.transports[number] = nil
        entry = nil
    }

    /// Returns whether a chunk can be written now. Chunks must not overtake other writes.
    private func hasRoom(_ entry: AccessoryEntry, _ withResponse: Bool) -> Bool {
        entry.writes.isIdle
            && (withResponse || driver.writeCapacity(of: entry).canSendWithoutResponse)
    }

    private var withResponse: Bool? {
        guard let entry else { return nil }
        return try? writeTarget(in: entry).withResponse
    }

    private func written(_ result: Result<Void, AccessoryError>, _ withResponse: Bool) {
        let path = entry?.path(of: listening)
        switch result {
        case .success:
            // A write without response gives no sign that the message was accepted.
            guard withResponse, let entry, let path else { return }
            driver.messageAccepted(path, entry)
        case .failure(let error):
            refused(error)
            guard let entry, let path, isLinked else { return }
            driver.messageRefused(path, error, entry)
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
    var waitsForRoom: Bool { awaitsRoom && isLinked && withResponse == false }

    /// Sets whether the accessory is ready.
    func setLinked(_ isLinked: Bool) {
        guard isLinked != self.isLinked else { return }
        self.isLinked = isLinked
        awaitsRoom = false
        receiver?(isLinked ? .linked : .unlinked(AccessoryError.linkEnded))
    }

    func valueReceived(_ value: Data, of path: CharacteristicPath) {
        guard isLinked, path == entry?.path(of: listening) else { return }
        receiver?(.received(value))
    }

    func capacityChanged() {
        guard awaitsRoom, isLinked, let entry, let withResponse else { return }
        guard hasRoom(entry, withResponse) else { return }
        awaitsRoom = false
        receiver?(.hasRoom)
    }

    func end() {
        setLinked(false)
        let receiver = receiver
        self.receiver = nil
        entry = nil
        receiver?(.ended(AccessoryError.shutDown))
    }
}
