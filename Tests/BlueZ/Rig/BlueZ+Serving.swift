// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import ProcessTestSupport

/// A service that BlueZ registers.
struct ServedService: Sendable {
    var uuid: BluetoothUUID
    var isPrimary = true
    var characteristics: [ServedCharacteristic] = []
    /// The indexes of the included services among the services that are registered together.
    var includes: [Int] = []

    var json: JSON {
        .object([
            "uuid": .string(uuid.bluez), "primary": .boolean(isPrimary),
            "characteristics": .array(characteristics.map(\.json)),
            "includes": .array(includes.map { .number(Double($0)) }),
        ])
    }
}

/// A characteristic or a descriptor of a served service.
struct ServedCharacteristic: Sendable {
    var uuid: BluetoothUUID
    /// BlueZ's names of flags: `read`, `write`, `notify`, `encrypt-read`, `secure-write`,
    /// `authorize`.
    var flags: [String]
    var value: [UInt8] = []
    var descriptors: [ServedCharacteristic] = []

    var json: JSON {
        .object([
            "uuid": .string(uuid.bluez), "flags": .array(flags.map(JSON.string)),
            "value": .bytes(value), "descriptors": .array(descriptors.map(\.json)),
        ])
    }
}

/// BlueZ as an advertiser and server.
extension BlueZ {
    /// Registers services. Those of another application are added and removed separately.
    func serve(_ services: [ServedService], as application: String = "main") async throws {
        let arguments: [String: JSON] = [
            "services": .array(services.map(\.json)), "name": .string(application),
        ]
        try await call("serve", arguments)
    }

    /// Removes the services of an application.
    func stopServing(_ application: String = "main") async throws {
        try await call("stop_serving", ["name": .string(application)])
    }

    /// Starts connectable advertising with the properties in `details`; see
    /// Machine/peer/advertising.py.
    func advertise(
        name: String? = nil,
        services: [BluetoothUUID] = [],
        _ details: [String: JSON] = [:]
    ) async throws {
        var arguments: [String: JSON] = ["interval": .number(20)]
        arguments["name"] = name.map(JSON.string)
        if !services.isEmpty { arguments["uuids"] = .array(services.map { .string($0.bluez) }) }
        try await call("advertise", arguments.merging(details) { $1 })
    }

    /// Stops the advertisement that was started without a `number` in its details.
    func stopAdvertising() async throws { try await call("stop_advertising") }

    // MARK: Values

    /// Returns the current value of an attribute.
    func servedValue(_ uuid: BluetoothUUID) async throws -> [UInt8] {
        try await call("value", ["uuid": .string(uuid.bluez)])["value"].bytes
    }

    /// Notifies subscribers of values, one after the other.
    func notify(_ values: [[UInt8]], of uuid: BluetoothUUID) async throws {
        let arguments: [String: JSON] = [
            "uuid": .string(uuid.bluez), "values": .array(values.map(JSON.bytes)),
        ]
        try await call("notify", arguments)
    }

    /// Waits until a client has written an attribute. Returns the event, with `value` and BlueZ's
    /// options.
    func written(_ uuid: BluetoothUUID) async throws -> JSON {
        try await event("written") { $0["uuid"].text == uuid.bluez }
    }

    /// Waits until a client has subscribed to a characteristic or, with `false`, has unsubscribed.
    func subscribed(_ uuid: BluetoothUUID, _ isOn: Bool = true) async throws {
        _ = try await event(isOn ? "subscribed" : "unsubscribed") { $0["uuid"].text == uuid.bluez }
    }
}
