// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT

// The peer's whole database.
extension Link {
    /// Returns the peer's database: its services with their includes, characteristics and
    /// descriptors.
    ///
    /// ```swift
    /// let database = try await link.database()
    /// if let level = database.characteristic(BluetoothUUID(0x2A19)) {
    ///     print(try await link.read(level.characteristic))
    /// }
    /// ```
    ///
    /// The host discovers the database once, and caches the databases of the last 64 peers. On the
    /// same link, the next call returns at once unless the peer has reported a change. On a later
    /// link, the host first reads the Database Hash, which shows whether the database is still the
    /// same. If the peer has no hash, the host uses the cached database only if the peer is bonded,
    /// the host has subscribed to its Service Changed, and the peer has reported no change.
    ///
    /// If the peer reports a change after this method has returned on the link, operations on
    /// handles throw `GATT.Failure.attribute` with `databaseOutOfSync` until the application calls
    /// this method again. The application must then discard all handles of the old database.
    ///
    /// Concurrent callers share one discovery. After the first discovery, the host writes its
    /// supported features to the peer and subscribes to Service Changed, if the peer has these
    /// characteristics (Vol 3, Part G, 2.5.2 and 7). The call waits for the subscription only if
    /// the peer has no Database Hash.
    ///
    /// - Returns: The database.
    /// - Throws: The errors of a GATT operation (see ``Link``): `GATT.Failure.attribute` with
    ///   `databaseOutOfSync` if the database keeps changing during the discovery.
    public func database() async throws -> GATT.Database {
        guard case .database(let database) = try await host.request(.database, of: identifier)
        else { throw HostError.malformedAnswer }
        return database
    }
}
