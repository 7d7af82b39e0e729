// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A check of an app's `Info.plist` for Bluetooth.
///
/// The system asks the user for permission with a text from this file, and terminates an app
/// without that text. The file also declares the app's use of Bluetooth in the background. On iOS,
/// Bluetooth works only in the foreground without that declaration.
///
/// ```swift
/// var check = InfoPlistCheck()
/// check.backgroundRoles = [.central]
/// for finding in try check.findings(in: Data(contentsOf: file)) where finding.severity > .note {
///     print(finding.subject, finding.what, finding.remedy)
/// }
/// ```
///
/// Check the file of the built app, because the source file lacks the entries that Xcode generates.
/// The check uses neither the network nor the system: the same file always has the same findings.
public struct InfoPlistCheck: Hashable, Sendable {
    /// The platforms with different rules.
    public enum Platform: String, Hashable, Sendable, CaseIterable {
        /// iOS, iPadOS, tvOS, watchOS and visionOS.
        case iOS = "ios"
        /// macOS.
        case macOS = "macos"
    }

    /// The Bluetooth role of an app.
    public enum Role: String, Hashable, Sendable, CaseIterable {
        /// The app connects to accessories.
        case central
        /// The app is an accessory.
        case peripheral

        /// The value of `UIBackgroundModes` for the role in the background.
        public var backgroundMode: String { "bluetooth-\(rawValue)" }
    }

    /// The platform; `nil` to derive it from the file. If the file does not name it, iOS is
    /// assumed, which has more requirements.
    public var platform: Platform?
    /// The roles of the app in the background.
    public var backgroundRoles: Set<Role> = []
    /// Whether the app uses state restoration, which Lanyard's `AccessoryCentral` uses by default.
    /// For restoration, the system must launch the app in the background.
    public var restores = false
    /// Whether the app uses the accessory picker of AccessorySetupKit (iOS 18).
    public var usesAccessorySetup = false

    /// Creates a check for an app that uses Bluetooth only in the foreground.
    public init() {}

    /// Returns the findings about the file, and about the entitlements if they are given, including
    /// those without a problem. The file is complete if no finding is an `obstacle`.
    ///
    /// - Parameters:
    ///   - infoPlist: The contents of `Info.plist`.
    ///   - entitlements: The contents of the entitlements file, if there is one.
    /// - Returns: The findings.
    /// - Throws: ``PropertyListError`` if one of the files cannot be read.
    public func findings(
        in infoPlist: Data,
        entitlements: Data? = nil
    ) throws(PropertyListError) -> [SetUpFinding] {
        let file = try PropertyListFile(infoPlist)
        let platform = platform ?? Self.platform(of: file)
        var findings = UsageDescriptionRule.findings(file, platform)
        findings += backgroundRule.findings(file, platform)
        findings += DeviceCapabilityRule.findings(file, platform)
        findings += AccessorySetupRule(isUsed: usesAccessorySetup).findings(file, platform)
        if let entitlements {
            findings += SandboxRule.findings(try PropertyListFile(entitlements))
        } else if platform == .macOS {
            findings.append(SandboxRule.unseen)
        }
        return findings
    }

    private var backgroundRule: BackgroundModeRule {
        // For restoration, the system must launch the app, which requires a background mode.
        let roles = restores && backgroundRoles.isEmpty ? [.central] : backgroundRoles
        return BackgroundModeRule(roles: roles, restores: restores)
    }

    private static func platform(of file: PropertyListFile) -> Platform {
        if let names = file.texts("CFBundleSupportedPlatforms") {
            return names.contains("MacOSX") ? .macOS : .iOS
        }
        return file.has("LSMinimumSystemVersion") ? .macOS : .iOS
    }
}

extension PropertyListFile {
    /// The major version of the oldest system on which the app runs, such as 12 for 12.4; `nil` if
    /// the file does not contain it.
    var oldestSystem: Int? {
        text("MinimumOSVersion")?.split(separator: ".").first.flatMap { Int($0) }
    }
}
