// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The names that the Bluetooth SIG gave to numbers, and a few that are as well known without it.
enum AssignedNumbers {
    /// The name of a service; nil if it has none here.
    static func name(ofService uuid: BluetoothUUID) -> String? {
        name(of: uuid, in: [serviceNames, memberServiceNames])
    }

    /// The name of a characteristic; nil if it has none here.
    static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
        name(of: uuid, in: [characteristicNames, laterCharacteristicNames])
    }

    /// The name of a descriptor or declaration; nil if it has none here.
    static func name(ofDescriptor uuid: BluetoothUUID) -> String? {
        name(of: uuid, in: [descriptorNames])
    }

    /// The name of a company; nil if it has none here.
    static func name(ofCompany identifier: UInt16) -> String? {
        companyNames[identifier]
    }

    /// The name of an appearance, or at least that of its category; nil if neither is known.
    static func name(ofAppearance appearance: UInt16) -> String? {
        appearanceNames[appearance] ?? appearanceCategoryNames[appearance >> 6]
    }

    /// The characteristic that a person means by a name such as `battery level` or
    /// `battery-level`; nil if there is none of that name.
    static func characteristic(named text: String) -> BluetoothUUID? {
        let wanted = comparable(text)
        for names in [characteristicNames, laterCharacteristicNames] {
            for (number, name) in names where comparable(name) == wanted {
                return BluetoothUUID(number)
            }
        }
        return vendorNames.first { comparable($0.value) == wanted }?.key
    }

    private static func name(
        of uuid: BluetoothUUID,
        in tables: [[UInt16: String]]
    ) -> String? {
        guard let short = uuid.short16 else { return vendorNames[uuid] }
        return tables.lazy.compactMap { $0[short] }.first
    }

    private static func comparable(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
