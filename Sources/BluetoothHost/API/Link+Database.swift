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
    /// The host discovers the database once, in fewer requests than the partial discoveries need,
    /// and caches it. On the same link, the next call returns at once unless the peer has reported
    /// a change. On a later link, the host first reads the Database Hash, which shows whether the
    /// database is still the same. If the peer has no hash, the host uses the cached database only
    /// if the peer is bonded, the host has subscribed to its Service Changed, and the peer has
    /// reported no change.
    ///
    /// After a change, operations on handles throw `GATT.Failure.attribute` with
    /// `databaseOutOfSync` until the application calls this method again. The peer refuses the
    /// operations until it considers the host change-aware (Vol 3, Part G, 2.5.2.1), and afterward
    /// the host refuses them. When an operation throws that error, call this method again and
    /// discard all handles of the old database.
    ///
    /// Concurrent callers share one discovery. After the first discovery, the host writes its
    /// supported features to the peer and subscribes to Service Changed, if the peer has these
    /// characteristics. The call does not wait for that (Vol 3, Part G, 2.5.2 and 7).
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
