// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The information about a server that a client stores between connections (Vol 3, Part G, 2.5.2).
package struct DatabaseRecord: Hashable, Sendable {
    /// The length of a Database Hash in bytes (Vol 3, Part G, 7.3).
    package static let hashLength = 16

    /// The database from the discovery.
    package var database: GATT.Database

    /// The Database Hash at the time of the discovery, or `nil` if the server has none.
    package var hash: [UInt8]?

    /// Whether the client is bonded with the server and has subscribed to Service Changed.
    package var isWatched = false

    /// The bits of Client Supported Features that the client has written to the server. A server
    /// stores them only for a bonded client.
    package var announcedFeatures: UInt8 = 0

    package init(database: GATT.Database, hash: [UInt8]? = nil) {
        self.database = database
        self.hash = hash
    }
}

// The encoding for storage. Every change of the format changes the version. A record with another
// version is not decoded, which results in a new discovery.
extension DatabaseRecord {
    /// The version of the format.
    package static let version: UInt8 = 1

    /// Encodes the record: the version, 1 if watched, the features, the length of the hash (0 or
    /// 16), the hash, and the database.
    package func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.version)
        writer.write(isWatched ? 1 as UInt8 : 0)
        writer.write(announcedFeatures)
        writer.write(UInt8(truncatingIfNeeded: hash?.count ?? 0))
        writer.write(contentsOf: hash ?? [])
        database.write(to: &writer)
        return writer.bytes
    }

    /// Decodes a record that `encode()` has created.
    ///
    /// - Throws: ``MalformedBytes`` for any other bytes. Stored bytes may be damaged, so they never
    ///   cause a trap.
    package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        guard try reader.readUInt8() == Self.version else { throw .invalid(field: "version") }
        let watched = try reader.readUInt8()
        let features = try reader.readUInt8()
        let hashLength = Int(try reader.readUInt8())
        guard watched <= 1, [0, Self.hashLength].contains(hashLength) else {
            throw .invalid(field: "record")
        }
        let hash = Array(try reader.readBytes(hashLength))
        database = try GATT.Database(from: &reader)
        try reader.finish()
        self.hash = hash.isEmpty ? nil : hash
        isWatched = watched == 1
        announcedFeatures = features
    }
}
