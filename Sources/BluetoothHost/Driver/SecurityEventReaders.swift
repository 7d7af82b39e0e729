// SPDX-License-Identifier: Apache-2.0

/// Who reads what becomes of bonds: `BluetoothHost.securityEvents()`.
struct SecurityEventReaders {
    typealias Reader = AsyncStream<SecurityEvent>.Continuation

    private var readers: [RequestIdentifier: Reader] = [:]
    /// What happened before anybody read; nil once somebody has.
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

    /// The host is closed.
    mutating func close() {
        for reader in readers.values { reader.finish() }
        readers = [:]
    }
}
