// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The readers of `BluetoothHost.incomingLinks`.
struct IncomingLinkReaders {
    private var readers: [RequestIdentifier: AsyncStream<Link>.Continuation] = [:]

    mutating func add(_ reader: AsyncStream<Link>.Continuation, as identifier: RequestIdentifier) {
        readers[identifier] = reader
    }

    mutating func remove(_ identifier: RequestIdentifier) {
        readers[identifier] = nil
    }

    func deliver(_ link: Link) {
        for reader in readers.values { reader.yield(link) }
    }

    /// Ends all streams, because the host is closed.
    mutating func close() {
        for reader in readers.values { reader.finish() }
        readers = [:]
    }
}
