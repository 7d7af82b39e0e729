// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// What a client keeps of one server from one connection to the next (Vol 3, Part G, 2.5.2).
package struct DatabaseRecord: Hashable, Sendable {
    /// The octets of a Database Hash (Vol 3, Part G, 7.3).
    package static let hashLength = 16

    /// The table as it was discovered.
    package var database: GATT.Database

    /// The Database Hash that the server had then; nil if it has none.
    package var hash: [UInt8]?

    /// Whether the server, which is bonded, knows that it has to indicate Service Changed to us.
    package var isWatched = false

    /// The Client Supported Features that the server, which is bonded, knows of us.
    package var announcedFeatures: UInt8 = 0

    package init(database: GATT.Database, hash: [UInt8]? = nil) {
        self.database = database
        self.hash = hash
    }
}

// Bytes to keep. A change of the form is a change of the version; a record of another version is not
// read, and costs a discovery.
extension DatabaseRecord {
    /// The version of the form.
    package static let version: UInt8 = 1

    /// The record as bytes: version, 1 if watched, features, hash with its length (0 or 16) before
    /// it, and the table.
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

    /// Reads a record that `encode()` has made. Throws for all else, and never traps: what was kept
    /// may have been kept badly.
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
