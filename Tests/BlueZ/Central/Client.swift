// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport

/// BlueZ as the central that found our host. A D-Bus object of a device represents our host in
/// BlueZ.
struct Client: Sendable {
    let bluez: BlueZ

    /// The path of the object.
    let path: String

    /// The current properties of our host in BlueZ.
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

    /// Subscribes. Returns the path that reports the values.
    func subscribe(to uuid: BluetoothUUID) async throws -> String {
        try await bluez.subscribe(to: uuid, at: path)
    }

    func unsubscribe(from uuid: BluetoothUUID) async throws {
        try await bluez.unsubscribe(from: uuid, at: path)
    }

    /// Waits for a value from a path. Other values, such as those that were read, are dropped.
    func value(_ value: [UInt8], by path: String) async throws {
        try await bluez.change(of: path, "Value", to: .bytes(value))
    }

    /// Returns the next values from a path.
    func values(_ count: Int, by path: String) async throws -> [[UInt8]] {
        var values: [[UInt8]] = []
        while values.count < count { values.append(try await bluez.value(of: path)) }
        return values
    }
}

extension ServingHostFixture {
    /// Makes BlueZ pair, until both sides have all keys.
    func pair() async throws { try await bluez.pair(client.path, with: host) }
}

extension BlueZ {
    /// The maximum number of searches for our host while BlueZ reports only outdated events about
    /// it.
    private static let searchLimit = 10

    /// Searches for our host, unless BlueZ knows it already. Returns its properties in BlueZ.
    func findServer() async throws -> JSON {
        let path = path(of: ServerFixture.address)
        for _ in 0..<Self.searchLimit {
            let known = try await call("devices")[path]
            guard known == .null else { return known }
            try await scan()
            _ = try await event("device", within: Limits.discovery) { $0["path"].text == path }
            let found = try await call("devices")[path]
            try await stopScan()
            // An event may be about a device that BlueZ has removed since.
            if found != .null { return found }
        }
        throw Refusal("NotFound", text: path)
    }
}
