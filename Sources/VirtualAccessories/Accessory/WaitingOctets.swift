// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Octets on their way to a client, each behind those before it.
struct WaitingOctets: Sendable {
    /// How many wait at most.
    static let limit = 16_384

    private var lots: [(octets: ArraySlice<UInt8>, valueHandle: AttributeHandle)] = []
    private var count = 0

    /// Lets octets wait; those that do not fit are dropped, all or none.
    mutating func append(_ octets: [UInt8], of valueHandle: AttributeHandle) {
        guard !octets.isEmpty, count + octets.count <= Self.limit else { return }
        lots.append((octets[...], valueHandle))
        count += octets.count
    }

    /// What goes next, in one value of at most this length; nil if there is nothing.
    func next(length: Int) -> ([UInt8], AttributeHandle)? {
        lots.first.map { (Array($0.octets.prefix(length)), $0.valueHandle) }
    }

    /// What was next is gone.
    mutating func removeNext(length: Int) {
        guard let first = lots.first else { return }
        count -= min(length, first.octets.count)
        lots[0].octets = first.octets.dropFirst(length)
        if lots[0].octets.isEmpty { lots.removeFirst() }
    }

    /// What was to go as this value goes no more.
    mutating func remove(of valueHandle: AttributeHandle) {
        lots.removeAll { $0.valueHandle == valueHandle }
        count = lots.reduce(0) { $0 + $1.octets.count }
    }
}
