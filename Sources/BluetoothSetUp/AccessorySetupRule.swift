// SPDX-License-Identifier: Apache-2.0

import BluetoothValues

/// The rule about the declarations for the system's accessory picker (AccessorySetupKit, iOS 18).
struct AccessorySetupRule {
    static let supports = "NSAccessorySetupSupports"
    static let services = "NSAccessorySetupBluetoothServices"
    static let names = "NSAccessorySetupBluetoothNames"
    static let companies = "NSAccessorySetupBluetoothCompanyIdentifiers"

    private static let criteria = [services, names, companies]
    private static let technology = "Bluetooth"

    /// Whether the app is meant to use the picker.
    let isUsed: Bool

    func findings(
        _ file: PropertyListFile,
        _ platform: InfoPlistCheck.Platform
    ) -> [SetUpFinding] {
        guard platform == .iOS else { return [] }
        let given = Self.criteria.filter(file.has)
        guard let technologies = file.texts(Self.supports) else {
            return file.has(Self.supports) || isUsed || !given.isEmpty
                ? [Self.unsupported(isUsed, given)] : []
        }
        guard technologies.contains(Self.technology) else {
            return isUsed || !given.isEmpty ? [Self.unsupported(isUsed, given)] : []
        }
        guard !given.isEmpty else { return [Self.noCriteria] }
        let problems = given.compactMap { Self.problem(about: $0, in: file) }
        return problems + [Self.declared]
    }

    private static func problem(about key: String, in file: PropertyListFile) -> SetUpFinding? {
        guard let texts = file.texts(key), !texts.isEmpty else {
            return SetUpFinding(
                .obstacle,
                key,
                "is not an array of strings, or is empty",
                why: "the system terminates an app that passes undeclared values to the picker",
                remedy: "add a <string> for each value that the app passes to the picker"
            )
        }
        guard let wrong = texts.first(where: { !isWellFormed($0, for: key) }) else { return nil }
        return SetUpFinding(
            .obstacle,
            key,
            "'\(wrong)' is not a valid value",
            why: "it has to equal the value that the app passes to the picker",
            remedy: key == services
                ? "write 4 hexadecimal digits, or 36 characters with hyphens"
                : "write a text that is not empty"
        )
    }

    private static func isWellFormed(_ text: String, for key: String) -> Bool {
        guard key == services else { return !text.isEmpty }
        return BluetoothID(text) != nil && text.utf8.count != 8
    }

    private static func unsupported(_ isUsed: Bool, _ given: [String]) -> SetUpFinding {
        SetUpFinding(
            isUsed ? .obstacle : .warning,
            supports,
            "does not have \(technology)",
            why: isUsed
                ? "the system does not show the picker without it"
                : "without it the system does not read \(given.first ?? supports)",
            remedy: "add <key>\(supports)</key><array><string>\(technology)</string></array>"
        )
    }

    private static let noCriteria = SetUpFinding(
        .obstacle,
        supports,
        "has \(technology), but no key selects accessories",
        why: "the system terminates an app that passes undeclared values to the picker",
        remedy: "add \(criteria.joined(separator: ", or "))"
    )

    private static let declared = SetUpFinding(
        .note,
        supports,
        "has \(technology)",
        why: "the system then shows no permission alert, and the app can use Bluetooth "
            + "after an accessory was picked"
    )
}
