// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import HCITransports
import JSONText

// The output of `explore --json` is also a valid database file. Members that only describe the
// discovered device, such as addresses and end handles, are accepted and ignored.
extension ServedAccessory {
    /// The name of an accessory whose file has none.
    static var defaultName: String { DefaultDeviceName.standard() }

    /// Parses a database file. Unknown members are errors.
    init(parsing text: String) throws(JSONError) {
        try self.init(JSONNode(parsing: text))
    }

    private init(_ node: JSONNode) throws(JSONError) {
        let members = try node.members(
            ["name", "appearance", "advertising", "services"],
            unread: ["address", "addressType", "mtu"]
        )
        name = try members.unlessNull("name")?.deviceName ?? Self.defaultName
        if let node = members["appearance"] {
            appearance = UInt16(try node.wholeNumber(in: 0...Double(UInt16.max)))
        }
        if let node = members["advertising"] { advertising = try node.advertising }
        for node in try members["services"]?.elements(limit: Self.serviceLimit) ?? [] {
            services.append(try node.service)
        }
        try checkEchoes()
        services = try orderedForPublication()
    }

    /// Checks that every echo names a characteristic that can send values.
    private func checkEchoes() throws(JSONError) {
        for (serviceIndex, service) in services.enumerated() {
            for (index, value) in service.values.enumerated() {
                guard case .other(let uuid) = value.echo else { continue }
                let all = ([service] + services).flatMap(\.definition.characteristics)
                let target = all.first { $0.uuid == uuid }
                guard target?.properties.canSend != true else { continue }
                throw JSONError(
                    place: "services[\(serviceIndex)].characteristics[\(index)].echo",
                    problem: target == nil
                        ? "no characteristic is \(uuid)" : "\(uuid) does not notify or indicate"
                )
            }
        }
    }
}

extension JSONNode {
    /// A device name within the length limit.
    var deviceName: String {
        get throws(JSONError) {
            let name = try text
            guard !name.isEmpty, name.utf8.count <= ServedAccessory.nameLimit else {
                throw error("a name of 1 to \(ServedAccessory.nameLimit) bytes should be here")
            }
            return name
        }
    }

    /// Returns the members of an object. The `unread` ones are accepted and ignored.
    func members(
        _ known: [String],
        unread: [String]
    ) throws(JSONError) -> JSONMembers {
        guard case .object(let all) = value else { return try members(of: known) }
        let kept = all.filter { !unread.contains($0.key) }
        return try JSONNode(value: .object(kept), place: place).members(of: known)
    }

    // MARK: Services

    fileprivate var service: ServedService {
        get throws(JSONError) {
            let members = try members(
                ["uuid", "primary", "handle", "includes", "characteristics"],
                unread: ["endHandle"]
            )
            var definition = GATT.ServiceDefinition(try members.require("uuid").uuid, [])
            definition.isPrimary = try members["primary"]?.bool ?? true
            definition.handle = try members["handle"]?.handle
            let includes = members["includes"]
            for node in try includes?.elements(limit: ServedAccessory.serviceLimit) ?? [] {
                definition.includes.append(try node.include)
            }
            var values: [ServedValue] = []
            let limit = ServedAccessory.characteristicLimit
            for node in try members["characteristics"]?.elements(limit: limit) ?? [] {
                let (characteristic, value) = try node.characteristic
                definition.characteristics.append(characteristic)
                values.append(value)
            }
            return ServedService(definition: definition, values: values)
        }
    }

    /// An included service, by its UUID or its handle.
    private var include: GATT.ServiceReference {
        get throws(JSONError) {
            switch value {
            case .string: return .uuid(try uuid)
            case .object:
                let members = try members(
                    ["serviceHandle"],
                    unread: ["uuid", "handle", "serviceEndHandle"]
                )
                return .handle(try members.require("serviceHandle").handle)
            default: return .handle(try handle)
            }
        }
    }
}

extension JSONMembers {
    /// Returns the member, if it is present and not null.
    func unlessNull(_ key: String) -> JSONNode? {
        self[key].flatMap { $0.value == .null ? nil : $0 }
    }
}
