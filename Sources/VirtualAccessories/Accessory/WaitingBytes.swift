// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The bytes that wait to be sent to a client, in order.
struct WaitingBytes: Sendable {
    /// The maximum number of waiting bytes.
    static let limit = 131_072

    private var chunks: [(bytes: ArraySlice<UInt8>, valueHandle: AttributeHandle)] = []
    private var count = 0

    /// Adds bytes. If they do not all fit, drops all of them.
    mutating func append(_ bytes: [UInt8], of valueHandle: AttributeHandle) {
        guard !bytes.isEmpty, count + bytes.count <= Self.limit else { return }
        chunks.append((bytes[...], valueHandle))
        count += bytes.count
    }

    /// Returns the next bytes for one value of at most `length` bytes; `nil` if none wait.
    func next(length: Int) -> ([UInt8], AttributeHandle)? {
        chunks.first.map { (Array($0.bytes.prefix(length)), $0.valueHandle) }
    }

    /// Removes the bytes that were sent.
    mutating func removeNext(length: Int) {
        guard let first = chunks.first else { return }
        count -= min(length, first.bytes.count)
        chunks[0].bytes = first.bytes.dropFirst(length)
        if chunks[0].bytes.isEmpty { chunks.removeFirst() }
    }

    /// Removes the bytes that wait for the value.
    mutating func remove(of valueHandle: AttributeHandle) {
        chunks.removeAll { $0.valueHandle == valueHandle }
        count = chunks.reduce(0) { $0 + $1.bytes.count }
    }
}
