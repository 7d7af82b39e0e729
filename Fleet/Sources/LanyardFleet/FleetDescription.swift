// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard

/// The accessories of a fleet, as a JSON file describes them (docs/FLEET.md).
struct FleetDescription {
    /// The maximum number of accessories in a file.
    static let accessoryLimit = 256
    /// The maximum number of characteristics of an accessory.
    static let characteristicLimit = 64

    /// The accessories, each with its own identifier.
    var accessories: [FleetAccessory]

    /// Reads the text of a file.
    ///
    /// - Throws: `JSONError` with the place of the first error.
    init(parsing text: String) throws(JSONError) {
        let file = try JSONNode(parsing: text).members("accessories")
        accessories = []
        for node in try file.require("accessories").elements(limit: Self.accessoryLimit) {
            let accessory = try FleetAccessory(node)
            guard !accessories.contains(where: { $0.id == accessory.id }) else {
                throw node.error("the id \"\(accessory.id)\" occurs twice")
            }
            accessories.append(accessory)
        }
    }
}

struct FleetAccessory {
    /// The identifier in topics and messages.
    var id: String
    /// The name that people see.
    var name: String
    /// The description for the library.
    var description: AccessoryDescription
    /// The characteristics, in the order of the file.
    var characteristics: [FleetCharacteristic]

    init(_ node: JSONNode) throws(JSONError) {
        let members = try node.members("id", "name", "match", "pairing", "characteristics")
        let id = try members.require("id")
        self.id = try id.text
        guard FleetTopics.isLevel(self.id) else {
            throw id.error("1 to 64 letters, digits, '-' and '_' should be here")
        }
        name = try members["name"]?.text ?? self.id
        characteristics = []
        for node in try members.require("characteristics")
            .elements(limit: FleetDescription.characteristicLimit)
        {
            let characteristic = try FleetCharacteristic(node)
            guard !characteristics.contains(where: { $0.path == characteristic.path }) else {
                throw node.error("the characteristic occurs twice")
            }
            characteristics.append(characteristic)
        }
        let match = try members.require("match").members("service", "name")
        let service = try match.require("service").bluetoothID
        var matcher = AccessoryMatcher.service(service)
        if let name = try match["name"]?.text { matcher = .all(.service(service), .name(name)) }
        var services: [ServiceDescription] = []
        for characteristic in characteristics {
            let part = CharacteristicDescription(
                characteristic.path.characteristic,
                characteristic.roles,
                isRequired: characteristic.isRequired
            )
            let service = characteristic.path.service
            if let index = services.firstIndex(where: { $0.identifier == service }) {
                services[index].characteristics.append(part)
            } else {
                services.append(ServiceDescription(service, [part]))
            }
        }
        description = AccessoryDescription(kind: self.id, matching: matcher, services: services)
        if let probe = try members["pairing"]?.bluetoothID {
            description.pairing = .required(probing: probe)
        }
    }

    /// Returns the characteristic with this UUID, and with this service if one is named.
    func characteristic(_ characteristic: BluetoothID, of service: BluetoothID?)
        -> FleetCharacteristic?
    {
        characteristics.first {
            $0.path.characteristic == characteristic
                && (service == nil || $0.path.service == service)
        }
    }
}

struct FleetCharacteristic {
    var path: CharacteristicPath
    var roles: Set<CharacteristicDescription.Role>
    var isRequired: Bool
    /// The sensor that Home Assistant shows for it; `nil` if none.
    var sensor: FleetSensor?

    init(_ node: JSONNode) throws(JSONError) {
        let members = try node.members("service", "uuid", "roles", "required", "sensor")
        path = CharacteristicPath(
            try members.require("service").bluetoothID,
            try members.require("uuid").bluetoothID
        )
        roles = []
        for role in try members.require("roles").elements(limit: 3) {
            switch try role.text {
            case "read": roles.insert(.read)
            case "write": roles.insert(.write)
            case "subscribe": roles.insert(.subscribe)
            default: throw role.error("read, write or subscribe should be here")
            }
        }
        isRequired = try members["required"]?.bool ?? true
        sensor = try members["sensor"].map { node throws(JSONError) in try FleetSensor(node) }
    }
}

/// The number in a characteristic's value, and its presentation in Home Assistant.
struct FleetSensor: Equatable {
    /// The type of the number in the value; all are little-endian, as in GATT.
    enum Format: String, CaseIterable {
        case uint8, sint8, uint16, sint16, uint32, sint32
    }

    var name: String
    var format: Format
    /// The position of the number's first byte.
    var offset: Int
    /// The factor for the number.
    var scale: Double
    var unit: String?
    var deviceClass: String?

    init(_ node: JSONNode) throws(JSONError) {
        let members = try node.members("name", "format", "offset", "scale", "unit", "deviceClass")
        name = try members.require("name").text
        let format = try members.require("format")
        guard let known = Format(rawValue: try format.text) else {
            let formats = JSONNode.list(Format.allCases.map(\.rawValue))
            throw format.error("one of \(formats) should be here")
        }
        self.format = known
        offset = Int(try members["offset"]?.wholeNumber(in: 0...511) ?? 0)
        scale = try members["scale"]?.number(in: -1e9...1e9) ?? 1
        unit = try members["unit"]?.text
        deviceClass = try members["deviceClass"]?.text
    }

    /// Returns the number in a value; `nil` if the value is too short.
    func number(in value: Data) -> Double? {
        let size =
            switch format {
            case .uint8, .sint8: 1
            case .uint16, .sint16: 2
            case .uint32, .sint32: 4
            }
        guard value.count >= offset + size else { return nil }
        let raw = value.dropFirst(offset).prefix(size).reversed().reduce(UInt32(0)) {
            $0 << 8 | UInt32($1)
        }
        let number: Double =
            switch format {
            case .uint8, .uint16, .uint32: Double(raw)
            case .sint8: Double(Int8(truncatingIfNeeded: raw))
            case .sint16: Double(Int16(truncatingIfNeeded: raw))
            case .sint32: Double(Int32(bitPattern: raw))
            }
        return number * scale
    }
}

extension JSONNode {
    /// The UUID of a service or characteristic.
    fileprivate var bluetoothID: BluetoothID {
        get throws(JSONError) {
            guard let id = BluetoothID(try text) else { throw error("a UUID should be here") }
            return id
        }
    }
}
