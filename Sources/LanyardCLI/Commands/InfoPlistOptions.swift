// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Lanyard

/// What an application wants of Bluetooth, whose Info.plist is looked at.
struct InfoPlistOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Look at an application's Info.plist instead: what it lacks for Bluetooth.",
            discussion: "Give that of the application as built, in XML or binary.",
            valueName: "file"
        )
    )
    var infoPlist: String?

    @Option(
        help: ArgumentHelp(
            "The application's entitlements: those of a sandbox on macOS.",
            valueName: "file"
        )
    )
    var entitlements: String?

    @Option(
        help: ArgumentHelp(
            "ios (and the other systems of mobile devices) or macos.",
            discussion: "By default what the file says.",
            valueName: "system"
        )
    )
    var platform: String?

    @Option(
        help: ArgumentHelp(
            "What it is in the background: central, peripheral, or both with a comma.",
            valueName: "roles"
        )
    )
    var background: String?

    @Flag(help: "It uses state restoration.")
    var restoration = false

    @Flag(help: "It lets accessories be picked with AccessorySetupKit.")
    var accessorySetup = false

    /// Whether something is said that makes no sense without a file.
    var isInVain: Bool {
        infoPlist == nil
            && (entitlements != nil || platform != nil || background != nil || restoration
                || accessorySetup)
    }

    /// The check that the options describe.
    var check: InfoPlistCheck {
        get throws(ProgramFailure) {
            var check = InfoPlistCheck()
            if let platform {
                check.platform = try Self.value(platform, "--platform")
            }
            for role in background?.split(separator: ",") ?? [] {
                check.backgroundRoles.insert(try Self.value(String(role), "--background"))
            }
            check.restores = restoration
            check.usesAccessorySetup = accessorySetup
            return check
        }
    }

    private static func value<Value: RawRepresentable<String> & CaseIterable>(
        _ text: String,
        _ option: String
    ) throws(ProgramFailure) -> Value {
        guard let value = Value(rawValue: text.lowercased()) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage(
                "'\(TerminalText.escape(text))' makes no sense after \(option)",
                advice: "use \(names)"
            )
        }
        return value
    }
}
