// SPDX-License-Identifier: Apache-2.0

/// Checks the devices to which the App Store offers the app.
enum DeviceCapabilityRule {
    static let key = "UIRequiredDeviceCapabilities"
    static let capability = "bluetooth-le"

    static func findings(
        _ file: PropertyListFile,
        _ platform: InfoPlistCheck.Platform
    ) -> [SetUpFinding] {
        guard platform == .iOS, let isWanted = isWanted(file) else { return [] }
        guard isWanted else {
            let finding = SetUpFinding(
                .obstacle,
                key,
                "\(capability) is false",
                why: "the App Store then offers it only to devices without Bluetooth Low Energy",
                remedy: "leave \(capability) out, or make it true"
            )
            return [finding]
        }
        let why =
            "only devices with Bluetooth Low Energy are offered it, for good: later versions "
            + "of an application cannot ask for more"
        return [SetUpFinding(.good, key, "asks for \(capability)", why: why)]
    }

    /// Returns whether the capability is required: in an array by its presence, in a dictionary by
    /// its value; `nil` if there is no entry.
    private static func isWanted(_ file: PropertyListFile) -> Bool? {
        if let names = file.texts(key) { return names.contains(capability) ? true : nil }
        return file.flags(key)?[capability]
    }
}
