// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP

/// What the driver keeps for the Peripheral's side: who reads incoming links, and who waits for the
/// end of advertising.
struct PeripheralState {
    typealias EndWaiter = CheckedContinuation<AdvertisingEnd, any Error>

    /// Why sets ended, of the last few: `AdvertisingSet.ended()` may be asked late.
    private static let pastEndLimit = 64

    private var readers: [RequestIdentifier: AsyncStream<Link>.Continuation] = [:]
    private var waiters: [RequestIdentifier: [RequestIdentifier: EndWaiter]] = [:]
    private var pastEnds: [(set: RequestIdentifier, end: AdvertisingEnd)] = []

    // MARK: Incoming links

    mutating func add(_ reader: AsyncStream<Link>.Continuation, as identifier: RequestIdentifier) {
        readers[identifier] = reader
    }

    mutating func remove(_ identifier: RequestIdentifier) {
        readers[identifier] = nil
    }

    func deliver(_ link: Link) {
        for reader in readers.values { reader.yield(link) }
    }

    /// The host is closed: nobody connects any more.
    mutating func close() {
        for reader in readers.values { reader.finish() }
        readers = [:]
    }

    // MARK: Ends of advertising

    /// Why a set ended, if it has; what is forgotten was stopped, as far as anybody can tell.
    func end(of set: RequestIdentifier, isOver: Bool) -> AdvertisingEnd? {
        if let past = pastEnds.last(where: { $0.set == set }) { return past.end }
        return isOver ? .stopped : nil
    }

    mutating func wait(
        _ waiter: EndWaiter,
        as identifier: RequestIdentifier,
        for set: RequestIdentifier
    ) {
        waiters[set, default: [:]][identifier] = waiter
    }

    mutating func stopWaiting(_ identifier: RequestIdentifier, for set: RequestIdentifier) {
        waiters[set]?.removeValue(forKey: identifier)?.resume(throwing: CancellationError())
    }

    mutating func ended(_ set: RequestIdentifier, _ end: AdvertisingEnd) {
        if pastEnds.count == Self.pastEndLimit { pastEnds.removeFirst() }
        pastEnds.append((set, end))
        for (_, waiter) in waiters.removeValue(forKey: set) ?? [:] { waiter.resume(returning: end) }
    }
}

extension BluetoothHost {
    func stopAdvertising(_ set: RequestIdentifier) {
        core.stopAdvertising(set, now: executor.now)
        drain()
    }

    /// Why a set ended, as soon as it has.
    func end(of set: RequestIdentifier) async throws -> AdvertisingEnd {
        let id = takeRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // Looked at in here: the actor may turn to somebody else on the way.
                if let end = peripheral.end(of: set, isOver: !core.isAdvertising(set)) {
                    return waiter.resume(returning: end)
                }
                peripheral.wait(waiter, as: id, for: set)
                if Task.isCancelled { peripheral.stopWaiting(id, for: set) }
            }
        } onCancel: {
            enter { $0.peripheral.stopWaiting(id, for: set) }
        }
    }
}
