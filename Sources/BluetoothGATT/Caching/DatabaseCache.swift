// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The tables that a client keeps of servers, of those it has met last.
package struct DatabaseCache: Sendable {
    /// How many servers' tables are kept. One more displaces that of the server that was not met
    /// for the longest.
    package static let peerLimit = 64

    private var records: [DeviceAddress: DatabaseRecord] = [:]
    /// Whose tables are kept; who was met last is last.
    private var order: [DeviceAddress] = []

    package init() {}

    /// How many tables are kept.
    package var count: Int { order.count }

    /// What is kept of a server; nil if nothing is.
    package func record(of peer: DeviceAddress) -> DatabaseRecord? { records[peer] }

    /// Keeps this of a server, in place of what was kept. Returns the server whose table had to
    /// make room, if one had to.
    @discardableResult
    package mutating func keep(
        _ record: DatabaseRecord,
        of peer: DeviceAddress
    ) -> DeviceAddress? {
        forget(peer)
        var displaced: DeviceAddress?
        if order.count == Self.peerLimit {
            displaced = order.removeFirst()
            if let displaced { records[displaced] = nil }
        }
        order.append(peer)
        records[peer] = record
        return displaced
    }

    /// Keeps nothing of a server any more.
    package mutating func forget(_ peer: DeviceAddress) {
        guard records.removeValue(forKey: peer) != nil else { return }
        order.removeAll { $0 == peer }
    }
}
