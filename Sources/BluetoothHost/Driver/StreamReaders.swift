// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The readers of one stream of the host's API. Each has an `AsyncStream` of its own.
struct StreamReaders<Element: Sendable> {
    typealias Reader = AsyncStream<Element>.Continuation

    private var readers: [RequestIdentifier: Reader] = [:]
    /// The maximum number of elements that are held for the first reader.
    private let unreadLimit: Int
    /// The elements that came before the first reader; empty once a reader was added.
    private var unread: [Element] = []
    private var hadReader = false

    init(unreadLimit: Int = 0) {
        self.unreadLimit = unreadLimit
    }

    mutating func add(_ reader: Reader, as identifier: RequestIdentifier) {
        for element in unread { reader.yield(element) }
        unread = []
        hadReader = true
        readers[identifier] = reader
    }

    mutating func remove(_ identifier: RequestIdentifier) {
        readers[identifier] = nil
    }

    mutating func deliver(_ element: Element) {
        if !hadReader, unreadLimit > 0 {
            if unread.count == unreadLimit { unread.removeFirst() }
            unread.append(element)
        }
        for reader in readers.values { reader.yield(element) }
    }

    /// Ends all streams, because their subject has ended.
    mutating func close() {
        for reader in readers.values { reader.finish() }
        readers = [:]
    }
}
