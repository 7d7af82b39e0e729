// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import ProcessTestSupport

/// BlueZ as a central and client.
extension BlueZ {
    /// Starts a discovery; see `device(named:)`.
    func scan() async throws { try await call("scan") }

    func stopScan() async throws { try await call("stop_scan") }

    /// Waits until BlueZ finds a device with this name. Returns its path.
    func device(named name: String) async throws -> String {
        let event = try await line.event("a device", within: Limits.discovery) {
            ["device", "changed"].contains($0["event"].text)
                && $0["properties"]["Name"].text == name
        }
        return event["path"].text ?? ""
    }

    /// Returns the path of the device with this address in BlueZ.
    func path(of address: DeviceAddress) -> String {
        let digits = address.digits.uppercased().replacing(":", with: "_")
        return "/org/bluez/hci0/dev_\(digits)"
    }

    /// Connects, and waits until BlueZ has discovered the device's services.
    func connect(_ path: String) async throws {
        try await call("connect", ["path": .string(path)], within: Limits.discovery)
        try await servicesResolved(path)
    }

    /// Waits until BlueZ has discovered the services of a device.
    func servicesResolved(_ path: String) async throws {
        // A reported change may have been reverted since, so the current value counts.
        while try await device(path)["ServicesResolved"] != .boolean(true) {
            try await change(of: path, "ServicesResolved")
        }
    }

    /// Waits until BlueZ reports that a property has changed: to `value`, or to any value if that
    /// is `nil`. Returns the new value.
    @discardableResult
    func change(
        of path: String,
        _ property: String,
        to value: JSON? = nil
    ) async throws -> JSON {
        let event = try await event("changed") {
            let new = $0["properties"][property]
            return $0["path"].text == path && (value == nil ? new != .null : new == value)
        }
        return event["properties"][property]
    }

    /// Returns the current properties of a device.
    func device(_ path: String) async throws -> JSON {
        try await call("device", ["path": .string(path)])
    }

    func disconnect(_ path: String) async throws {
        try await call("disconnect", ["path": .string(path)])
    }

    /// Waits until BlueZ has discovered the services of all connected devices. Linux 6.1 may crash
    /// if a link ends during the discovery.
    func hasExplored() async throws {
        while try await call("devices").members.values.contains(where: \.isBeingExplored) {
            _ = try await event("changed") { $0["properties"]["ServicesResolved"] != .null }
        }
    }

    /// Waits until BlueZ has no links. If BlueZ gets a new link before it has released the last
    /// link of the same device, it takes the new link for another channel of the last link and
    /// drops it ("EATT channel limit reached").
    func isAlone() async throws {
        while try await call("devices").members.values.contains(where: \.isConnected) {
            _ = try await event("changed") { $0["properties"]["Connected"] == .boolean(false) }
        }
    }

    /// Waits until BlueZ has stored the keys of the device with this identity address.
    func isBonded(with identity: DeviceAddress) async throws {
        let path = try await known(as: identity)
        while try await device(path)["Bonded"] != .boolean(true) {
            _ = try await event("changed") {
                $0["path"].text == path && $0["properties"]["Bonded"] == .boolean(true)
            }
        }
    }

    /// Returns the D-Bus objects of a device's attributes: path, interface, property.
    func tree(_ path: String) async throws -> JSON {
        try await call("tree", ["path": .string(path)])
    }

    // MARK: Values

    /// Reads a characteristic, or the descriptor `uuid` of the characteristic `of`.
    func read(
        _ uuid: BluetoothUUID,
        from path: String,
        of: BluetoothUUID? = nil,
        offset: Int = 0
    ) async throws -> [UInt8] {
        var arguments: [String: JSON] = [
            "path": .string(path), "uuid": .string(uuid.bluez), "offset": .number(Double(offset)),
        ]
        arguments["of"] = of.map { .string($0.bluez) }
        return try await call("read", arguments)["value"].bytes
    }

    /// The way in which BlueZ writes.
    enum WriteType: String, Sendable {
        case request, command, reliable
    }

    /// Writes a characteristic.
    func write(
        _ value: [UInt8],
        to uuid: BluetoothUUID,
        at path: String,
        _ type: WriteType? = nil
    ) async throws {
        var arguments: [String: JSON] = [
            "path": .string(path), "uuid": .string(uuid.bluez), "value": .bytes(value),
        ]
        arguments["type"] = type.map { .string($0.rawValue) }
        try await call("write_value", arguments)
    }

    /// Subscribes; see `value(of:)`. Returns the path of the characteristic.
    @discardableResult
    func subscribe(to uuid: BluetoothUUID, at path: String) async throws -> String {
        let arguments: [String: JSON] = ["path": .string(path), "uuid": .string(uuid.bluez)]
        return try await call("subscribe", arguments)["path"].text ?? ""
    }

    func unsubscribe(from uuid: BluetoothUUID, at path: String) async throws {
        try await call("unsubscribe", ["path": .string(path), "uuid": .string(uuid.bluez)])
    }

    /// Waits for the next value of the characteristic with this path.
    func value(of path: String) async throws -> [UInt8] {
        try await change(of: path, "Value").bytes
    }
}

extension BluetoothUUID {
    /// The UUID in BlueZ's format: all 128 bits in lowercase letters.
    var bluez: String {
        let text = "\(self)".lowercased()
        return text.count > 8
            ? text
            : "\(String(repeating: "0", count: 8 - text.count))\(text)-0000-1000-8000-00805f9b34fb"
    }
}

extension JSON {
    /// Whether a device with these properties is connected.
    fileprivate var isConnected: Bool { self["Connected"] == .boolean(true) }

    /// Whether BlueZ is discovering the services of a device with these properties.
    fileprivate var isBeingExplored: Bool {
        isConnected && self["ServicesResolved"] != .boolean(true)
    }
}
