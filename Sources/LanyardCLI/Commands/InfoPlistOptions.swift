// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothSetUp

/// The app's use of Bluetooth, against which its Info.plist is checked.
struct InfoPlistOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Check an app's Info.plist instead of this machine.",
            discussion: "Give the Info.plist of the built app, in XML or binary form.",
            valueName: "file"
        ),
        completion: .file()
    )
    var infoPlist: String?

    @Option(
        help: ArgumentHelp(
            "The app's entitlements, for the sandbox on macOS.",
            valueName: "file"
        ),
        completion: .file()
    )
    var entitlements: String?

    @Option(
        help: ArgumentHelp(
            "The app's platform: ios (also for the other mobile systems) or macos.",
            discussion: "The default is the platform in the file.",
            valueName: "system"
        )
    )
    var platform: String?

    @Option(
        help: ArgumentHelp(
            "The app's background roles: central, peripheral, or central,peripheral.",
            valueName: "roles"
        )
    )
    var background: String?

    @Flag(help: "The app uses state restoration.")
    var restoration = false

    @Flag(help: "The app uses AccessorySetupKit.")
    var accessorySetup = false

    /// Whether an option that needs `--info-plist` is given without it.
    var lacksInfoPlist: Bool {
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
                "'\(TerminalText.escape(text))' is not a valid \(option)",
                advice: "use \(names)"
            )
        }
        return value
    }
}
