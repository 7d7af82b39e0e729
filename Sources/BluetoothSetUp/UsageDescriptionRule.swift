// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The rule about the texts with which the system asks the user for permission.
enum UsageDescriptionRule {
    static let key = "NSBluetoothAlwaysUsageDescription"
    /// The key that systems before iOS 13 read.
    static let oldKey = "NSBluetoothPeripheralUsageDescription"

    private static let firstSystem = 13

    static func findings(
        _ file: PropertyListFile,
        _ platform: InfoPlistCheck.Platform
    ) -> [SetUpFinding] {
        [current(file)] + (platform == .iOS ? old(file) : [])
    }

    private static func current(_ file: PropertyListFile) -> SetUpFinding {
        if let problem = problem(about: key, in: file) {
            let hasOldKey = file.has(oldKey)
            return SetUpFinding(
                .obstacle,
                key,
                problem,
                why: "without it, the system terminates an app that uses Bluetooth, "
                    + "and App Store Connect refuses the upload"
                    + (hasOldKey ? "; \(oldKey) does not replace it" : ""),
                remedy: fragment(key)
            )
        }
        return SetUpFinding(.good, key, "explains the use of Bluetooth")
    }

    private static func old(_ file: PropertyListFile) -> [SetUpFinding] {
        guard let oldest = file.oldestSystem, oldest < firstSystem else {
            guard file.has(oldKey) else { return [] }
            let why = "systems from iOS 13 on do not read it, and Lanyard requires iOS 17"
            return [SetUpFinding(.note, oldKey, "is not needed", why: why)]
        }
        guard let problem = problem(about: oldKey, in: file) else {
            return [SetUpFinding(.good, oldKey, "is present, for systems before iOS 13")]
        }
        let finding = SetUpFinding(
            .obstacle,
            oldKey,
            problem,
            why: "MinimumOSVersion is \(oldest), and systems before iOS 13 read this key",
            remedy: fragment(oldKey) + ", or raise MinimumOSVersion"
        )
        return [finding]
    }

    private static func problem(about key: String, in file: PropertyListFile) -> String? {
        guard file.has(key) else { return "is missing" }
        guard let text = file.text(key) else { return "is not a string" }
        let isEmpty = text.allSatisfy(\.isWhitespace)
        return isEmpty ? "is empty" : nil
    }

    private static func fragment(_ key: String) -> String {
        "add <key>\(key)</key><string>the purpose, in a sentence that a user understands</string>"
    }
}
