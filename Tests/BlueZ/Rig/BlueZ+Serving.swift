// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import ProcessTestSupport

/// A service that BlueZ is to have.
struct ServedService: Sendable {
    var uuid: BluetoothUUID
    var isPrimary = true
    var characteristics: [ServedCharacteristic] = []
    /// The places of the services that it includes, among those that are registered together.
    var includes: [Int] = []

    var json: JSON {
        .object([
            "uuid": .string(uuid.bluez), "primary": .boolean(isPrimary),
            "characteristics": .array(characteristics.map(\.json)),
            "includes": .array(includes.map { .number(Double($0)) }),
        ])
    }
}

/// A characteristic or a descriptor of one.
struct ServedCharacteristic: Sendable {
    var uuid: BluetoothUUID
    /// BlueZ's own words: `read`, `write`, `notify`, `encrypt-read`, `secure-write`, `authorize`.
    var flags: [String]
    var value: [UInt8] = []
    /// The D-Bus error that reads and writes end with: `org.bluez.Error.NotPermitted`.
    var refusal: String?
    /// Whether nobody is told of what clients do with it, because they do it often.
    var isQuiet = false
    var descriptors: [ServedCharacteristic] = []

    var json: JSON {
        var members: [String: JSON] = [
            "uuid": .string(uuid.bluez), "flags": .array(flags.map(JSON.string)),
            "value": .octets(value), "quiet": .boolean(isQuiet),
            "descriptors": .array(descriptors.map(\.json)),
        ]
        members["refusal"] = refusal.map(JSON.string)
        return .object(members)
    }
}

/// BlueZ as an advertiser and server.
extension BlueZ {
    /// Registers services. Those of another application come and go by themselves.
    func serve(_ services: [ServedService], as application: String = "main") async throws {
        let arguments: [String: JSON] = [
            "services": .array(services.map(\.json)), "name": .string(application),
        ]
        try await call("serve", arguments)
    }

    /// Takes the services of an application away.
    func stopServing(_ application: String = "main") async throws {
        try await call("stop_serving", ["name": .string(application)])
    }

    /// Advertises, connectably, what is in `details`; see Machine/peer/advertising.py.
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

    func stopAdvertising(number: Int = 1) async throws {
        try await call("stop_advertising", ["number": .number(Double(number))])
    }

    // MARK: Values

    /// What a client has made of an attribute.
    struct ServedValue: Sendable {
        let octets: [UInt8]
        let writeCount: Int
        let octetCount: Int
    }

    /// The value that an attribute has now.
    func servedValue(_ uuid: BluetoothUUID) async throws -> ServedValue {
        let answer = try await call("value", ["uuid": .string(uuid.bluez)])
        return ServedValue(
            octets: answer["value"].octets,
            writeCount: answer["writes"].integer ?? 0,
            octetCount: answer["octets"].integer ?? 0
        )
    }

    /// Gives an attribute a value, which nobody is told of.
    func setServedValue(_ value: [UInt8], of uuid: BluetoothUUID) async throws {
        try await call("set_value", ["uuid": .string(uuid.bluez), "value": .octets(value)])
    }

    /// Tells subscribers values, one after the other.
    func notify(_ values: [[UInt8]], of uuid: BluetoothUUID) async throws {
        let arguments: [String: JSON] = [
            "uuid": .string(uuid.bluez), "values": .array(values.map(JSON.octets)),
        ]
        try await call("notify", arguments)
    }

    /// Waits until a client has written to an attribute; the event, with `value` and BlueZ's options.
    func written(_ uuid: BluetoothUUID) async throws -> JSON {
        try await event("written") { $0["uuid"].text == uuid.bluez }
    }

    /// Waits until a client has subscribed to a characteristic, or, with false, unsubscribed.
    func subscribed(_ uuid: BluetoothUUID, _ isOn: Bool = true) async throws {
        _ = try await event(isOn ? "subscribed" : "unsubscribed") { $0["uuid"].text == uuid.bluez }
    }
}
