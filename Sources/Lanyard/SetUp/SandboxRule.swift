// SPDX-License-Identifier: Apache-2.0

/// What the sandbox of macOS lets through: that is not in `Info.plist`, but in the entitlements.
enum SandboxRule {
    static let sandbox = "com.apple.security.app-sandbox"
    static let bluetooth = "com.apple.security.device.bluetooth"

    static func findings(_ entitlements: PropertyListFile) -> [SetUpFinding] {
        guard entitlements.flag(sandbox) == true else {
            return [SetUpFinding(.good, sandbox, "is off: nothing has to be let through")]
        }
        guard entitlements.flag(bluetooth) == true else {
            let finding = SetUpFinding(
                .obstacle,
                bluetooth,
                entitlements.has(bluetooth) ? "is not true" : "is missing",
                why: "the sandbox hides the adapter: the state is `unsupported`",
                remedy: "add <key>\(bluetooth)</key><true/>, or tick Bluetooth under App Sandbox"
            )
            return [finding]
        }
        return [SetUpFinding(.good, bluetooth, "lets Bluetooth through the sandbox")]
    }

    /// On macOS, where nobody showed the entitlements.
    static let unseen = SetUpFinding(
        .note,
        bluetooth,
        "was not looked at",
        why: "an application in the sandbox needs this entitlement, which is in another file",
        remedy: "give the entitlements as well"
    )
}
