// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// The accessory of the tests with a Generic Attribute service after its first service: Service
/// Changed, Client Supported Features and optionally a Database Hash.
enum CachedAccessory {
    static let changedHandle = AttributeHandle(8)
    static let changedConfiguration = AttributeHandle(9)
    static let featuresHandle = AttributeHandle(11)
    static let hashHandle = AttributeHandle(13)
    static let hash = Array(0xA0..<0xB0) as [UInt8]

    static func server(hash: [UInt8]? = hash) -> TableServer {
        var server = Accessory.server()
        let generic: [TableServer.Attribute] = [
            .init(
                handle: .init(6),
                type: .init(0x2800),
                value: [0x01, 0x18],
                groupEnd: .init(15)
            ),
            .init(handle: .init(7), type: .init(0x2803), value: [0x20, 8, 0, 0x05, 0x2A]),
            .init(handle: changedHandle, type: .init(0x2A05), value: []),
            .init(handle: changedConfiguration, type: .init(0x2902), value: [0, 0]),
            .init(handle: .init(10), type: .init(0x2803), value: [0x0A, 11, 0, 0x29, 0x2B]),
            .init(handle: featuresHandle, type: .init(0x2B29), value: [0]),
        ]
        let digest: [TableServer.Attribute] =
            hash.map { hash in
                [
                    .init(handle: .init(12), type: .init(0x2803), value: [2, 13, 0, 0x2A, 0x2B]),
                    .init(handle: hashHandle, type: .init(0x2B2A), value: hash),
                ]
            } ?? []
        server.attributes.append(contentsOf: generic + digest)
        server.attributes.sort { $0.handle < $1.handle }
        return server
    }
}

/// A lookup whose operations a client performs with a server, and its results.
struct Lookup {
    var pair: Pair
    var lookup: DatabaseLookup
    private(set) var found: [GATT.Database] = []
    private(set) var failures: [GATT.Failure] = []
    /// The stored record, or `nil` after it was discarded.
    private(set) var record: DatabaseRecord?
    private(set) var operations: [GATT.Operation] = []
    /// The number of operations that were started before the first result.
    private(set) var operationCountAtFirstAnswer: Int?
    /// The number of times that the database was reported as outdated.
    private(set) var outdatedCount = 0
    /// The ranges in which the database was reported to differ from an earlier database.
    private(set) var changed: [ClosedRange<AttributeHandle>] = []

    /// Creates a lookup on a new link, with the record of an earlier link.
    init(_ server: TableServer, record: DatabaseRecord? = nil) {
        pair = Pair(server)
        lookup = DatabaseLookup(record: record)
        self.record = record
    }

    /// Requests the database, and performs all resulting operations.
    mutating func request(isTrusted: Bool = false) throws {
        try perform(lookup.request(isTrusted: isTrusted))
    }

    /// Reports a change, and performs all resulting operations.
    mutating func databaseChanged() throws {
        try perform(lookup.databaseChanged())
    }

    private mutating func perform(_ first: [DatabaseLookup.Action]) throws {
        var actions = first[...]
        while let action = actions.popFirst() {
            switch action {
            case .start(let operation):
                operations.append(operation)
                actions += lookup.completed(try pair.run(operation))
            case .found(let database):
                found.append(database)
                operationCountAtFirstAnswer = operationCountAtFirstAnswer ?? operations.count
            case .failed(let failure): failures.append(failure)
            case .keep(let record): self.record = record
            case .forget: record = nil
            case .outdated: outdatedCount += 1
            case .changed(let ranges, _): changed += ranges
            }
        }
    }

    /// The number of PDUs that the client has sent.
    var requestCount: Int { pair.sent.count }
}
