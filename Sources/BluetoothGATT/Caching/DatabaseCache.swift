// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The databases of servers that were stored most recently.
package struct DatabaseCache: Sendable {
    /// The maximum number of stored databases. A further database replaces the one that was stored
    /// least recently.
    package static let peerLimit = 64

    private var records: [DeviceAddress: DatabaseRecord] = [:]
    /// The servers with a stored database, most recently stored last.
    private var order: [DeviceAddress] = []

    package init() {}

    /// The number of stored databases.
    package var count: Int { order.count }

    /// Returns the record of a server, or `nil` if there is none.
    package func record(of peer: DeviceAddress) -> DatabaseRecord? { records[peer] }

    /// Stores the record of a server and replaces its previous one.
    ///
    /// - Returns: The server whose record was removed to make room, or `nil` if none was.
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

    /// Removes the record of a server.
    package mutating func forget(_ peer: DeviceAddress) {
        guard records.removeValue(forKey: peer) != nil else { return }
        order.removeAll { $0 == peer }
    }
}
