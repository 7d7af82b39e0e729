// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import JSONReading

extension ServedAccessory {
    /// What an accessory is called that has no name.
    static let defaultName = "Lanyard"

    /// Reads the text of a database file. What it does not know, it does not accept.
    init(parsing text: String) throws(JSONError) {
        try self.init(JSONNode(parsing: text))
    }

    private init(_ node: JSONNode) throws(JSONError) {
        let members = try node.members("name", "appearance", "advertising", "services")
        name = try members["name"]?.deviceName ?? Self.defaultName
        if let node = members["appearance"] {
            appearance = UInt16(try node.wholeNumber(in: 0...Double(UInt16.max)))
        }
        if let node = members["advertising"] { advertising = try node.advertising }
        for node in try members["services"]?.elements(limit: Self.serviceLimit) ?? [] {
            services.append(try node.service(after: services))
        }
        try checkEchoes(members)
    }

    /// What echoes elsewhere must find a characteristic there that can send.
    private func checkEchoes(_ members: JSONMembers) throws(JSONError) {
        for (serviceIndex, service) in services.enumerated() {
            for (index, characteristic) in service.characteristics.enumerated() {
                guard case .other(let uuid) = characteristic.echo else { continue }
                let all = service.characteristics + services.flatMap(\.characteristics)
                let target = all.first { $0.definition.uuid == uuid }
                guard target?.definition.properties.canSend != true else { continue }
                throw JSONError(
                    place: "services[\(serviceIndex)].characteristics[\(index)].echo",
                    complaint: target == nil
                        ? "no characteristic is \(uuid)" : "\(uuid) does not notify or indicate"
                )
            }
        }
    }
}

extension JSONNode {
    /// A device name: a text that is not too long.
    var deviceName: String {
        get throws(JSONError) {
            let name = try text
            guard !name.isEmpty, name.utf8.count <= ServedAccessory.nameLimit else {
                throw error("a name of 1 to \(ServedAccessory.nameLimit) octets should be here")
            }
            return name
        }
    }

    // MARK: Services

    /// The services that every server has by itself (Vol 3, Part C, 12 and Part G, 7).
    private static let reserved = [BluetoothUUID(0x1800), BluetoothUUID(0x1801)]

    fileprivate func service(after others: [ServedService]) throws(JSONError) -> ServedService {
        let members = try members("uuid", "primary", "handle", "includes", "characteristics")
        let uuid = try members.require("uuid")
        var service = ServedService(uuid: try uuid.uuid)
        guard !Self.reserved.contains(service.uuid) else {
            throw uuid.error("every server has this service by itself; leave it out")
        }
        service.isPrimary = try members["primary"]?.bool ?? true
        service.handle = try members["handle"].map { (node) throws(JSONError) in try node.handle }
        for node in try members["includes"]?.elements(limit: ServedAccessory.serviceLimit) ?? [] {
            service.includes.append(try node.include(of: others))
        }
        let limit = ServedAccessory.characteristicLimit
        for node in try members["characteristics"]?.elements(limit: limit) ?? [] {
            service.characteristics.append(try node.characteristic)
        }
        return service
    }

    /// The mention of a service that comes before, by its UUID or its handle.
    private func include(of services: [ServedService]) throws(JSONError) -> GATT.ServiceReference {
        if case .string = value {
            let uuid = try uuid
            guard services.contains(where: { $0.uuid == uuid }) else {
                throw error("no service before this one is \(uuid)")
            }
            return .uuid(uuid)
        }
        let handle = try handle
        guard services.contains(where: { $0.handle == handle }) else {
            throw error("no service before this one has the handle \(handle.rawValue)")
        }
        return .handle(handle)
    }
}
