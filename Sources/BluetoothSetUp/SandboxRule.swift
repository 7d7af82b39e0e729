// SPDX-License-Identifier: Apache-2.0

/// The rule about the sandbox of macOS, whose permissions are in the entitlements and not in
/// `Info.plist`.
enum SandboxRule {
    static let sandbox = "com.apple.security.app-sandbox"
    static let bluetooth = "com.apple.security.device.bluetooth"

    static func findings(_ entitlements: PropertyListFile) -> [SetUpFinding] {
        guard entitlements.flag(sandbox) == true else {
            return [SetUpFinding(.good, sandbox, "is off: Bluetooth needs no entitlement")]
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
        return [SetUpFinding(.good, bluetooth, "permits Bluetooth in the sandbox")]
    }

    /// The finding on macOS if no entitlements were given.
    static let unseen = SetUpFinding(
        .note,
        bluetooth,
        "was not checked",
        why: "an app in the sandbox needs this entitlement, which is in another file",
        remedy: "also pass the entitlements file"
    )
}
