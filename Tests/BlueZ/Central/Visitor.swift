// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport

/// BlueZ as the Central that found our host: a device's object on D-Bus stands for us there.
struct Visitor: Sendable {
    let bluez: BlueZ

    /// The object.
    let path: String

    /// What BlueZ says of us now.
    var properties: JSON { get async throws { try await bluez.device(path) } }

    func connect() async throws { try await bluez.connect(path) }

    func pair() async throws { try await bluez.pair(path) }

    func forget() async throws { try await bluez.forget(path) }

    func read(
        _ uuid: BluetoothUUID,
        of: BluetoothUUID? = nil,
        offset: Int = 0
    ) async throws -> [UInt8] {
        try await bluez.read(uuid, from: path, of: of, offset: offset)
    }

    func write(
        _ value: [UInt8],
        to uuid: BluetoothUUID,
        as type: BlueZ.WriteType = .request
    ) async throws {
        try await bluez.write(value, to: uuid, at: path, type)
    }

    /// Subscribes; the path by which values come.
    func subscribe(to uuid: BluetoothUUID) async throws -> String {
        try await bluez.subscribe(to: uuid, at: path)
    }

    func unsubscribe(from uuid: BluetoothUUID) async throws {
        try await bluez.unsubscribe(from: uuid, at: path)
    }

    /// Waits for a value that comes by a path; others, as those that were read, are passed over.
    func value(_ value: [UInt8], by path: String) async throws {
        try await bluez.change(of: path, "Value", to: .octets(value))
    }

    /// The next values that come by a path.
    func values(_ count: Int, by path: String) async throws -> [[UInt8]] {
        var values: [[UInt8]] = []
        while values.count < count { values.append(try await bluez.value(of: path)) }
        return values
    }
}

extension StallVisit {
    /// Has BlueZ pair, until both sides have all keys.
    func pair() async throws { try await bluez.pair(visitor.path, with: host) }
}

extension BlueZ {
    /// How often BlueZ looks for a host of which it hears old news.
    private static let searchLimit = 10

    /// Looks for our host, unless BlueZ has it already; what BlueZ says of it.
    func findStall() async throws -> JSON {
        let path = path(of: Stall.address)
        for _ in 0..<Self.searchLimit {
            let known = try await call("devices")[path]
            guard known == .null else { return known }
            try await scan()
            _ = try await event("device", within: Limits.discovery) { $0["path"].text == path }
            let found = try await call("devices")[path]
            try await stopScan()
            // Events may be of one that was forgotten since.
            if found != .null { return found }
        }
        throw Refusal("NotFound", text: path)
    }
}
