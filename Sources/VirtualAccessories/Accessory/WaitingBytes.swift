// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The bytes that wait to be sent to a client, in order.
struct WaitingBytes: Sendable {
    /// The maximum number of waiting bytes.
    static let limit = 131_072

    private var lots: [(bytes: ArraySlice<UInt8>, valueHandle: AttributeHandle)] = []
    private var count = 0

    /// Adds bytes. If they do not all fit, drops all of them.
    mutating func append(_ bytes: [UInt8], of valueHandle: AttributeHandle) {
        guard !bytes.isEmpty, count + bytes.count <= Self.limit else { return }
        lots.append((bytes[...], valueHandle))
        count += bytes.count
    }

    /// Returns the next bytes for one value of at most `length` bytes; `nil` if none wait.
    func next(length: Int) -> ([UInt8], AttributeHandle)? {
        lots.first.map { (Array($0.bytes.prefix(length)), $0.valueHandle) }
    }

    /// Removes the bytes that were sent.
    mutating func removeNext(length: Int) {
        guard let first = lots.first else { return }
        count -= min(length, first.bytes.count)
        lots[0].bytes = first.bytes.dropFirst(length)
        if lots[0].bytes.isEmpty { lots.removeFirst() }
    }

    /// Removes the bytes that wait for the value.
    mutating func remove(of valueHandle: AttributeHandle) {
        lots.removeAll { $0.valueHandle == valueHandle }
        count = lots.reduce(0) { $0 + $1.bytes.count }
    }
}
