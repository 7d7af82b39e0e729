// SPDX-License-Identifier: Apache-2.0

/// The rule about the devices to which the App Store offers the app.
enum DeviceCapabilityRule {
    static let key = "UIRequiredDeviceCapabilities"
    static let capability = "bluetooth-le"

    static func findings(
        _ file: PropertyListFile,
        _ platform: InfoPlistCheck.Platform
    ) -> [SetUpFinding] {
        guard platform == .iOS, let isRequired = isRequired(file) else { return [] }
        guard isRequired else {
            let finding = SetUpFinding(
                .obstacle,
                key,
                "\(capability) is false",
                why: "the App Store offers the app only to devices without Bluetooth LE",
                remedy: "leave \(capability) out, or make it true"
            )
            return [finding]
        }
        let why =
            "the App Store offers the app only to devices with Bluetooth LE; "
            + "a later version cannot add requirements"
        return [SetUpFinding(.good, key, "requires \(capability)", why: why)]
    }

    /// Returns whether the capability is required: in an array by its presence, in a dictionary by
    /// its value; `nil` if there is no entry.
    private static func isRequired(_ file: PropertyListFile) -> Bool? {
        if let names = file.texts(key) { return names.contains(capability) ? true : nil }
        return file.flags(key)?[capability]
    }
}
