// SPDX-License-Identifier: Apache-2.0

/// The rule about the declarations for Bluetooth in the background.
struct BackgroundModeRule {
    static let key = "UIBackgroundModes"

    let roles: Set<InfoPlistCheck.Role>
    let restores: Bool

    func findings(
        _ file: PropertyListFile,
        _ platform: InfoPlistCheck.Platform
    ) -> [SetUpFinding] {
        guard platform == .iOS else { return roles.isEmpty ? [] : [Self.notOnMacOS] }
        guard let modes = modes(in: file) else { return [Self.malformed] }
        let findings = InfoPlistCheck.Role.allCases.compactMap { finding(about: $0, modes) }
        return findings + Self.misspelled(modes)
    }

    /// Returns the modes; `nil` if they are not an array of strings.
    private func modes(in file: PropertyListFile) -> [String]? {
        file.has(Self.key) ? file.texts(Self.key) : []
    }

    private func finding(about role: InfoPlistCheck.Role, _ modes: [String]) -> SetUpFinding? {
        let mode = role.backgroundMode
        switch (roles.contains(role), modes.contains(mode)) {
        case (true, true): return SetUpFinding(.good, Self.key, "has \(mode)")
        case (false, false): return nil
        case (true, false):
            return SetUpFinding(
                .obstacle,
                Self.key,
                "\(mode) is missing",
                why: why(role),
                remedy: "add <string>\(mode)</string> to the array \(Self.key)"
            )
        case (false, true):
            return SetUpFinding(
                .note,
                Self.key,
                "has \(mode)",
                why: "App Review checks the use of Bluetooth in the background",
                remedy: "remove it if the app does not use Bluetooth in the background"
            )
        }
    }

    private func why(_ role: InfoPlistCheck.Role) -> String {
        if restores && role == .central {
            // Core Bluetooth raises an exception at launch if an app without this mode requests
            // restoration. `AccessoryCentral` then does not request it.
            return "without it, AccessoryCentral does not request restoration, and logs this: "
                + "the system terminates an app that requests restoration without it"
        }
        return switch role {
        case .central: "links and scans stop as soon as the app leaves the screen"
        case .peripheral: "the app does not answer centrals after it leaves the screen"
        }
    }

    /// Reports misspelled values, which the system ignores.
    private static func misspelled(_ modes: [String]) -> [SetUpFinding] {
        let known = InfoPlistCheck.Role.allCases.map(\.backgroundMode)
        let others = modes.filter { !known.contains($0) && $0.lowercased().contains("bluetooth") }
        return others.map { mode in
            SetUpFinding(
                .warning,
                key,
                "'\(mode)' is not a background mode",
                why: "the system ignores unknown modes",
                remedy: "use \(known.joined(separator: " or "))"
            )
        }
    }

    private static let malformed = SetUpFinding(
        .obstacle,
        key,
        "is not an array of strings",
        why: "the system reads no background mode in it",
        remedy: "write <key>\(key)</key><array><string>bluetooth-central</string></array>"
    )

    private static let notOnMacOS = SetUpFinding(
        .note,
        key,
        "is not needed on macOS",
        why: "an app on macOS keeps running in the background"
    )
}
