// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Says what an application's `Info.plist` lacks for Bluetooth.
///
/// The system asks the user before an application may use Bluetooth, with a sentence from this file:
/// without the sentence it ends the application. What an application may do in the background is
/// declared here, too, and if it is not, the application works until it is left, and then does not.
///
/// ```swift
/// var check = InfoPlistCheck()
/// check.backgroundRoles = [.central]
/// for finding in try check.findings(in: Data(contentsOf: file)) where finding.severity > .note {
///     print(finding.subject, finding.what, finding.remedy)
/// }
/// ```
///
/// Look at the file of the application as built: what Xcode generates is not in that of the sources.
/// Nothing is asked of the network or of the system: the same file always has the same findings.
public struct InfoPlistCheck: Hashable, Sendable {
    /// The systems, as far as their rules differ.
    public enum Platform: String, Hashable, Sendable, CaseIterable {
        /// iOS, iPadOS, tvOS, watchOS and visionOS.
        case iOS = "ios"
        /// macOS.
        case macOS = "macos"
    }

    /// What an application is to its accessories.
    public enum Role: String, Hashable, Sendable, CaseIterable {
        /// It connects to them.
        case central
        /// It is one.
        case peripheral

        /// The value of `UIBackgroundModes` that lets it be so in the background.
        public var backgroundMode: String { "bluetooth-\(rawValue)" }
    }

    /// The system; nil to go by what the file itself says, and, where it says nothing, by iOS, which
    /// wants more.
    public var platform: Platform?
    /// In what roles the application works while it is in the background.
    public var backgroundRoles: Set<Role> = []
    /// Whether it uses state restoration, which `AccessoryCentral` does unless it is told otherwise. For
    /// that the system has to start it in the background.
    public var restores = false
    /// Whether it lets its accessories be picked by AccessorySetupKit (iOS 18).
    public var usesAccessorySetup = false

    /// A check for an application that uses Bluetooth as long as it is on the screen.
    public init() {}

    /// What there is to say about the file, and about the entitlements if they are given: what is as
    /// it should be as well. It is complete if nothing is an `obstacle`.
    ///
    /// Throws if either is no property list that can be looked at.
    public func findings(
        in infoPlist: Data,
        entitlements: Data? = nil
    ) throws(PropertyListError) -> [SetUpFinding] {
        let file = try PropertyListFile(infoPlist)
        let platform = platform ?? Self.platform(of: file)
        var findings = UsageDescriptionRule.findings(file, platform)
        findings += backgroundRule.findings(file, platform)
        findings += DeviceCapabilityRule.findings(file, platform)
        findings += AccessorySetupRule(isWanted: usesAccessorySetup).findings(file, platform)
        if let entitlements {
            findings += SandboxRule.findings(try PropertyListFile(entitlements))
        } else if platform == .macOS {
            findings.append(SandboxRule.unseen)
        }
        return findings
    }

    private var backgroundRule: BackgroundModeRule {
        // Whom the system restores, it has to start, and it starts those with a background mode only.
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
    /// The oldest system that the application runs on: 12 for 12.4; nil if the file does not say.
    var oldestSystem: Int? {
        text("MinimumOSVersion")?.split(separator: ".").first.flatMap { Int($0) }
    }
}
