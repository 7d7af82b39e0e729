// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT

// The peer's whole table at once.
extension Link {
    /// The peer's table: its services with their includes, characteristics and descriptors.
    ///
    /// ```swift
    /// let database = try await link.database()
    /// if let level = database.characteristic(BluetoothUUID(0x2A19)) {
    ///     print(try await link.read(level.characteristic))
    /// }
    /// ```
    ///
    /// It is discovered once, in fewer requests than the discoveries by part take, and kept. The
    /// next call returns at once for as long as the peer has not told of a change, and on a later
    /// link after one read that shows that the table is still the same (its Database Hash). Without
    /// a hash only a bonded peer that was to tell of changes, and has not, is believed.
    ///
    /// After a change, operations on handles throw `GATT.Failure.attribute` with
    /// `databaseOutOfSync` until the table is asked for again: the peer refuses them until it knows
    /// that this host knows, and then the host itself does. So call this again when an operation
    /// throws that, and take no handle of the old table along.
    ///
    /// Several callers share one discovery. With the first table the peer is told, where it wants
    /// to know, what this host is able to, and to tell of changes of its table; nobody waits for
    /// that (Vol 3, Part G, 2.5.2 and 7).
    ///
    /// Throws `GATT.Failure` if the peer refuses or misbehaves, or if its table changes again and
    /// again while it is looked at (`databaseOutOfSync`).
    public func database() async throws -> GATT.Database {
        guard case .database(let database) = try await host.request(.database, of: identifier)
        else { throw HostError.malformedAnswer }
        return database
    }
}
