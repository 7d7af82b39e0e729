// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import JSONText

// Properties and permissions of attributes in a database file.
extension JSONNode {
    /// A UUID.
    var uuid: BluetoothUUID {
        get throws(JSONError) {
            guard case .string(let text) = value, let uuid = BluetoothUUID(text) else {
                throw error("a UUID of 4, 8 or 32 hexadecimal digits should be here")
            }
            return uuid
        }
    }

    /// The handle of an attribute.
    var handle: AttributeHandle {
        get throws(JSONError) {
            let number = try wholeNumber(in: 1...Double(UInt16.max))
            return AttributeHandle(rawValue: UInt16(number))
        }
    }

    /// The properties of a characteristic, by the names that `explore` prints.
    var properties: GATT.CharacteristicProperties {
        get throws(JSONError) {
            let known = GATT.CharacteristicProperties(rawValue: 0xFF).names
            var properties: GATT.CharacteristicProperties = []
            for element in try elements(limit: known.count) {
                guard let bit = known.firstIndex(of: try element.text) else {
                    throw element.error("one of \(Self.list(known)) should be here")
                }
                properties.formUnion(GATT.CharacteristicProperties(rawValue: 1 << UInt8(bit)))
            }
            return properties
        }
    }

    /// Returns the permissions of an attribute. A read or a write that is not in the list is not
    /// permitted. If the list has no word for notifications, a subscription has the requirement of
    /// a read, or none if no client may read.
    ///
    /// - Parameter canNotify: Whether the attribute is a characteristic's value.
    func permissions(
        canNotify: Bool,
        minimumKeySize: JSONNode?
    ) throws(JSONError) -> GATT.Permissions {
        var permissions = GATT.Permissions()
        let known = Permission.all(canNotify: canNotify)
        for element in try elements(limit: known.count) {
            let name = try element.text
            guard let permission = known.first(where: { $0.name == name }) else {
                throw element.error("one of \(Self.list(known.map(\.name))) should be here")
            }
            permission.add(to: &permissions)
        }
        if let minimumKeySize { try minimumKeySize.apply(asKeySizeOf: &permissions) }
        return permissions
    }

    private func apply(asKeySizeOf permissions: inout GATT.Permissions) throws(JSONError) {
        let size = LinkSecurity.keySizeRange
        let number = Int(try wholeNumber(in: Double(size.lowerBound)...Double(size.upperBound)))
        var isApplied = false
        let rules = [
            \GATT.Permissions.read, \GATT.Permissions.write, \GATT.Permissions.subscribe,
        ]
        for rule in rules where permissions[keyPath: rule]?.needsEncryption == true {
            permissions[keyPath: rule]?.keySizeMinimum = number
            isApplied = true
        }
        guard isApplied else {
            throw error("minimumKeySize needs a permission with encryption")
        }
    }
}

/// One word of a list of permissions: an access and its requirement.
private struct Permission {
    let action: WritableKeyPath<GATT.Permissions, SecurityRequirement?>
    let name: String
    let rule: SecurityRequirement

    static func all(canNotify: Bool) -> [Permission] {
        let readAndWrite = all("read", \.read) + all("write", \.write)
        return canNotify ? readAndWrite + all("notify", \.subscribe) : readAndWrite
    }

    private static func all(
        _ name: String,
        _ action: WritableKeyPath<GATT.Permissions, SecurityRequirement?>
    ) -> [Permission] {
        [
            Permission(action: action, name: name, rule: .open),
            Permission(action: action, name: name + "Encrypted", rule: .encrypted),
            Permission(action: action, name: name + "Authenticated", rule: .authenticated),
            Permission(action: action, name: name + "Authorized", rule: .authorized),
        ]
    }

    /// Adds the requirement. If one access has several requirements, a client must meet them all.
    func add(to permissions: inout GATT.Permissions) {
        let other = permissions[keyPath: action] ?? .open
        permissions[keyPath: action] = SecurityRequirement(
            needsEncryption: rule.needsEncryption || other.needsEncryption,
            needsAuthentication: rule.needsAuthentication || other.needsAuthentication,
            needsAuthorization: rule.needsAuthorization || other.needsAuthorization
        )
    }
}
