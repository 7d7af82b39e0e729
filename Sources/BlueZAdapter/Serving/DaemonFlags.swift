// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Properties and permissions as flags of the daemon (doc/org.bluez.GattCharacteristic.rst).
extension GATT.CharacteristicProperties {
    /// The names of the properties in `Flags`, in the order of their bits.
    private static let flagNames = [
        "broadcast", "read", "write-without-response", "write", "notify", "indicate",
        "authenticated-signed-writes", "extended-properties",
    ]

    /// Creates the properties from the values of `Flags`.
    init(flags: Set<String>) {
        self.init()
        for (bit, name) in Self.flagNames.enumerated() where flags.contains(name) {
            insert(Self(rawValue: 1 << UInt8(bit)))
        }
    }

    /// Returns the flags of a characteristic to publish: its properties, and the security that its
    /// permissions require. The daemon adds the extended properties itself.
    func flags(with permissions: GATT.Permissions) -> [String] {
        var flags = Self.flagNames.enumerated().dropLast()
            .filter { contains(Self(rawValue: 1 << UInt8($0.offset))) }
            .map(\.element)
        let subscribe = permissions.subscribe ?? permissions.read
        // The daemon has one flag for the protection of all kinds of writes.
        let writes: Self = [.write, .writeWithoutResponse, .authenticatedSignedWrites]
        let protections: [(Self, SecurityRequirement?, String)] = [
            (.read, permissions.read, "read"), (writes, permissions.write, "write"),
            (.notify, subscribe, "notify"), (.indicate, subscribe, "indicate"),
        ]
        for (properties, requirement, name) in protections where !isDisjoint(with: properties) {
            if let prefix = requirement?.flagPrefix { flags.append(prefix + name) }
        }
        return flags
    }
}

extension GATT.Permissions {
    /// The flags of a descriptor to publish.
    var flags: [String] {
        [(read, "read"), (write, "write")].flatMap { requirement, name -> [String] in
            guard let requirement else { return [] }
            return [name] + (requirement.flagPrefix.map { [$0 + name] } ?? [])
        }
    }
}

extension SecurityRequirement {
    /// The prefix of the flag that requires this security; `nil` if no security is required.
    fileprivate var flagPrefix: String? {
        if needsAuthentication { return "encrypt-authenticated-" }
        return needsEncryption ? "encrypt-" : nil
    }
}
