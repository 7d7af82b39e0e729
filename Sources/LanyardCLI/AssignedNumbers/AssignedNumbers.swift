// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The names of numbers that the Bluetooth SIG assigned, and of some well-known vendor UUIDs.
///
/// Two files contain the names. Each line has a table, a hexadecimal number and a name.
/// `assigned-numbers.csv` contains some companies, some services of member companies, and all names
/// of the other tables. `company-names.csv`, which `Scripts/generate-company-names` writes,
/// contains the other companies, and names the other services of member companies after these
/// companies. Each file is read when a name in it is needed.
enum AssignedNumbers {
    /// Services by their 16-bit UUID (Assigned Numbers, 3.4.2).
    static let serviceNames = names(in: "service")
    /// Services of members by their 16-bit UUID (Assigned Numbers, 3.10). The SIG's list names
    /// only companies; some names in these files describe the services.
    static let memberServiceNames = names(in: "member service", of: [tables, companyTables])
    /// Characteristics by their 16-bit UUID (Assigned Numbers, 3.8.1).
    static let characteristicNames = names(in: "characteristic")
    /// Declarations and descriptors by their 16-bit UUID (Assigned Numbers, 3.6 and 3.7).
    static let descriptorNames = names(in: "descriptor")
    /// Companies by their identifier (Assigned Numbers, 7.1).
    static let companyNames = names(in: "company", of: [tables, companyTables])
    /// Appearances (Assigned Numbers, 2.6.3).
    static let appearanceNames = names(in: "appearance")
    /// Categories of appearance: the upper 10 bits (Assigned Numbers, 2.6.2).
    static let appearanceCategoryNames = names(in: "appearance category")
    /// Symbols of the units that a Characteristic Presentation Format names (Assigned Numbers,
    /// 3.5). The symbol of Unitless is empty.
    static let unitSymbols = names(in: "unit")
    /// Features of a Link Layer by their bit (Core 6.0, Vol 6, Part B, 4.6), without the bits in
    /// `hostSupportBits`.
    static let leFeatureNames = names(in: "link layer feature")
    /// Services and characteristics of vendors by their 128-bit UUID.
    static let vendorNames: [BluetoothUUID: String] = Dictionary(
        entries(of: "vendor", in: tables).compactMap { number, name in
            BluetoothUUID(String(number)).map { ($0, name) }
        },
        uniquingKeysWith: { first, _ in first }
    )

    /// The lines of a file by their table.
    typealias Tables = [Substring: [Substring]]

    static let tables = lines(of: PackageResources.assigned_numbers_csv)
    static let companyTables = lines(of: PackageResources.company_names_csv)

    /// Reads a file, whose first lines name the license.
    private static func lines(of file: [UInt8]) -> Tables {
        Dictionary(
            grouping: String(decoding: file, as: UTF8.self).split(separator: "\n")
                .drop { $0.hasPrefix("#") },
            by: { line in line.prefix { $0 != "," } }
        )
    }

    private static func entries(
        of table: String,
        in tables: Tables
    ) -> [(number: Substring, name: String)] {
        (tables[table[...]] ?? []).compactMap { line in
            let fields = line.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
            return fields.count == 3 ? (fields[1], String(fields[2])) : nil
        }
    }

    private static func names(in table: String, of files: [Tables]? = nil) -> [UInt16: String] {
        Dictionary(
            (files ?? [tables]).flatMap { entries(of: table, in: $0) }.compactMap { number, name in
                UInt16(number, radix: 16).map { ($0, name) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }
}

extension AssignedNumbers {
    /// Returns the name of a service, or `nil` if there is none.
    static func name(ofService uuid: BluetoothUUID) -> String? {
        guard let short = uuid.short16 else { return vendorNames[uuid] }
        return serviceNames[short] ?? memberServiceNames[short]
    }

    /// Returns the name of a characteristic, or `nil` if there is none.
    static func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
        guard let short = uuid.short16 else { return vendorNames[uuid] }
        return characteristicNames[short]
    }

    /// Returns the name of a descriptor or declaration, or `nil` if there is none.
    static func name(ofDescriptor uuid: BluetoothUUID) -> String? {
        guard let short = uuid.short16 else { return vendorNames[uuid] }
        return descriptorNames[short]
    }

    /// Returns the name of a company, or `nil` if there is none.
    static func name(ofCompany identifier: UInt16) -> String? {
        companyNames[identifier]
    }

    /// Returns the name of an appearance or of its category, or `nil` if neither has one.
    static func name(ofAppearance appearance: UInt16) -> String? {
        appearanceNames[appearance] ?? appearanceCategoryNames[appearance >> 6]
    }

    /// Returns the characteristic with a name such as `battery level` or `battery-level`, or `nil`
    /// if there is none.
    static func characteristic(named text: String) -> BluetoothUUID? {
        let wanted = comparable(text)
        if let found = characteristicNames.first(where: { comparable($0.value) == wanted }) {
            return BluetoothUUID(found.key)
        }
        return vendorNames.first { comparable($0.value) == wanted }?.key
    }

    /// Returns the service with a name such as `heart rate` or `heart-rate`, or `nil` if there is
    /// none.
    static func service(named text: String) -> BluetoothUUID? {
        let wanted = comparable(text)
        for names in [serviceNames, memberServiceNames] {
            if let found = names.first(where: { comparable($0.value) == wanted }) {
                return BluetoothUUID(found.key)
            }
        }
        return vendorNames.first { comparable($0.value) == wanted }?.key
    }

    /// Returns the descriptor with a name such as `report reference`, or `nil` if there is none.
    static func descriptor(named text: String) -> BluetoothUUID? {
        let wanted = comparable(text)
        return descriptorNames.first { comparable($0.value) == wanted }
            .map { BluetoothUUID($0.key) }
    }

    /// Returns the names of the features in a set, in the order of their bits, without the bits in
    /// `hostSupportBits`. A bit without a name is, for example, `feature 50`.
    static func names(of features: HCI.LEFeatures) -> [String] {
        (0..<UInt64.bitWidth).compactMap { bit in
            guard features.rawValue >> bit & 1 == 1, !hostSupportBits.contains(bit) else {
                return nil
            }
            return leFeatureNames[UInt16(bit)] ?? "feature \(bit)"
        }
    }

    /// The host support bits of connected isochronous streams, subrating, advertising coding
    /// selection and channel sounding, and the second bit of power control, which repeats the
    /// first.
    private static let hostSupportBits: Set = [32, 34, 38, 41, 47]

    private static func comparable(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
