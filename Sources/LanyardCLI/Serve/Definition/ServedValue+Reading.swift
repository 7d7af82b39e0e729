// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import JSONText

extension JSONNode {
    /// The valid periods of a value, in seconds.
    private static let periods = 0.005...86_400.0

    /// A characteristic of a service, and its value.
    var characteristic: (GATT.CharacteristicDefinition, ServedValue) {
        get throws(JSONError) {
            let members = try members(
                [
                    "uuid", "handle", "properties", "permissions", "minimumKeySize", "value",
                    "maximumLength", "every", "echo", "description", "descriptors",
                ],
                unread: ["valueHandle", "error"]
            )
            let definition = try members.definition
            let value = ServedValue(
                template: try members.unlessNull("value")?.template ?? ValueTemplate(bytes: []),
                maximumLength: try members.maximumLength,
                period: try members["every"].map { (node) throws(JSONError) in
                    .seconds(try node.number(in: Self.periods))
                },
                echo: try members["echo"].map { (node) throws(JSONError) in try node.echo }
            )
            try value.check(definition, members)
            return (definition, value)
        }
    }

    private var echo: ServedValue.Echo {
        get throws(JSONError) {
            guard case .bool(let flag) = value else { return .other(try uuid) }
            guard flag else { throw error("true or the UUID of a characteristic should be here") }
            return .itself
        }
    }
}

extension JSONMembers {
    fileprivate var definition: GATT.CharacteristicDefinition {
        get throws(JSONError) {
            let properties = try require("properties").properties
            return GATT.CharacteristicDefinition(
                try require("uuid").uuid,
                properties,
                permissions: try permissions(canNotify: true) ?? GATT.Permissions(properties),
                value: .dynamic,
                descriptors: try descriptors,
                handle: try self["handle"]?.handle
            )
        }
    }

    /// The maximum length of a value in bytes.
    fileprivate var maximumLength: Int {
        get throws(JSONError) {
            let limit = Double(GATT.valueLengthLimit)
            return Int(try self["maximumLength"]?.wholeNumber(in: 0...limit) ?? limit)
        }
    }

    /// Returns the permissions in the list; `nil` without a list.
    private func permissions(canNotify: Bool) throws(JSONError) -> GATT.Permissions? {
        guard let list = self["permissions"] else {
            guard let size = self["minimumKeySize"] else { return nil }
            throw size.error("minimumKeySize needs a permission with encryption")
        }
        return try list.permissions(
            canNotify: canNotify,
            minimumKeySize: self["minimumKeySize"]
        )
    }

    // MARK: Descriptors

    private var descriptors: [GATT.DescriptorDefinition] {
        get throws(JSONError) {
            var descriptors: [GATT.DescriptorDefinition] = []
            if let node = self["description"] {
                let text = try node.text
                guard text.utf8.count <= GATT.valueLengthLimit else {
                    throw node.error("at most \(GATT.valueLengthLimit) bytes may be here")
                }
                descriptors.append(.userDescription(text))
            }
            let limit = ServedAccessory.descriptorLimit
            for node in try self["descriptors"]?.elements(limit: limit) ?? [] {
                let members = try node.members(
                    [
                        "uuid", "handle", "permissions", "minimumKeySize", "value", "maximumLength",
                    ],
                    unread: ["error"]
                )
                descriptors.append(try members.descriptor)
            }
            return descriptors
        }
    }

    private var descriptor: GATT.DescriptorDefinition {
        get throws(JSONError) {
            let uuid = try require("uuid").uuid
            let isConfiguration = uuid == BluetoothUUID(0x2902)
            // Each client has its own configuration, so a value in the file is ignored.
            let value = isConfiguration ? [] : try unlessNull("value")?.constantBytes ?? []
            let limit = try maximumLength
            guard value.count <= limit else {
                throw (self["value"] ?? node).error("the value is longer than maximumLength")
            }
            return GATT.DescriptorDefinition(
                uuid,
                permissions: try permissions(canNotify: false)
                    ?? GATT.Permissions(read: .open, write: isConfiguration ? .open : nil),
                value: .stored(value, maximumLength: limit),
                handle: try self["handle"]?.handle
            )
        }
    }
}

extension ServedValue {
    /// Checks that the members are consistent.
    fileprivate func check(
        _ definition: GATT.CharacteristicDefinition,
        _ members: JSONMembers
    ) throws(JSONError) {
        let value = members["value"] ?? members.node
        guard template.longestCount <= maximumLength else {
            throw value.error("the value is longer than maximumLength")
        }
        if template.isMoving, definition.permissions.write != nil {
            throw value.error("a value that changes by itself cannot be written")
        }
        if template.needsClock, period == nil {
            throw value.error("a sine needs \"every\" beside the value")
        }
        if let node = members["every"], !template.isMoving, !definition.properties.canSend {
            throw node.error("every needs a value that changes by itself, or notify or indicate")
        }
        try checkEcho(members["echo"], of: definition)
    }

    private func checkEcho(
        _ node: JSONNode?,
        of definition: GATT.CharacteristicDefinition
    ) throws(JSONError) {
        guard let node else { return }
        guard definition.permissions.write != nil else {
            throw node.error("echo needs a characteristic that clients can write")
        }
        if echo == .itself, !definition.properties.canSend {
            throw node.error("the characteristic does not notify or indicate")
        }
    }
}

extension GATT.CharacteristicProperties {
    /// Whether subscribed clients receive values.
    var canSend: Bool { !isDisjoint(with: [.notify, .indicate]) }
}
