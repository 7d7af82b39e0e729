// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The readers of `BluetoothHost.securityEvents()`.
struct SecurityEventReaders {
    typealias Reader = AsyncStream<SecurityEvent>.Continuation

    private var readers: [RequestIdentifier: Reader] = [:]
    /// The events before the first reader; `nil` after there has been one.
    private var unread: [SecurityEvent]? = []

    mutating func add(_ reader: Reader, as identifier: RequestIdentifier) {
        for event in unread ?? [] { reader.yield(event) }
        unread = nil
        readers[identifier] = reader
    }

    mutating func remove(_ identifier: RequestIdentifier) {
        readers[identifier] = nil
    }

    mutating func deliver(_ event: SecurityEvent) {
        if unread?.count == BluetoothHost.securityEventLimit { unread?.removeFirst() }
        unread?.append(event)
        for reader in readers.values { reader.yield(event) }
    }

    /// Ends all streams, because the host is closed.
    mutating func close() {
        for reader in readers.values { reader.finish() }
        readers = [:]
    }
}
