// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BluetoothSetUp

/// Row 21 is the row *Authorization and setup* of the table in docs/ACCESSORIES.md.
@Suite struct InfoPlistCheckTests {
    static let usage = "NSBluetoothAlwaysUsageDescription"
    private static let oldUsage = "NSBluetoothPeripheralUsageDescription"
    private static let modes = "UIBackgroundModes"
    private static let capabilities = "UIRequiredDeviceCapabilities"
    private typealias Samples = PropertyListSamples

    private func findings(
        _ members: KeyValuePairs<String, String>,
        entitlements: Data? = nil,
        _ change: (inout InfoPlistCheck) -> Void = { _ in }
    ) throws -> [SetUpFinding] {
        var check = InfoPlistCheck()
        change(&check)
        return try check.findings(in: Samples.xml(members), entitlements: entitlements)
    }

    /// Returns the subject and the problem of each obstacle.
    private func obstacles(_ findings: [SetUpFinding]) -> [String] {
        findings.filter { $0.severity == .obstacle }.map { "\($0.subject) \($0.what)" }
    }

    private func strings(_ texts: String...) -> String {
        "<array>\(texts.map { "<string>\($0)</string>" }.joined())</array>"
    }

    // MARK: Usage descriptions

    @Test("Row 21: A file with a usage description is complete")
    func complete() throws {
        let found = try findings([Self.usage: Samples.sentence])
        #expect(found.map(\.severity) == [.good])
    }

    @Test(
        "Row 21: A usage description that is missing, empty or not a string is an obstacle",
        arguments: [
            (nil, "is missing"), ("<string></string>", "is empty"),
            ("<string> \n\t</string>", "is empty"), ("<true/>", "is not a string"),
            ("<array><string>x</string></array>", "is not a string"),
        ] as [(String?, String)]
    )
    func usageDescription(value: String?, problem: String) throws {
        let found =
            try value.map { try findings([Self.usage: $0]) }
            ?? findings(["CFBundleName": "<string>A</string>"])
        #expect(obstacles(found) == ["\(Self.usage) \(problem)"])
        let finding = try #require(found.first)
        #expect(!finding.why.isEmpty && finding.remedy.contains("<key>\(Self.usage)</key>"))
    }

    @Test("Row 21: The old usage description does not replace the current one")
    func oldAlone() throws {
        let found = try findings([Self.oldUsage: Samples.sentence])
        #expect(obstacles(found) == ["\(Self.usage) is missing"])
        #expect(found.first?.why.contains(Self.oldUsage) == true)
        #expect(found.last?.severity == .note)
    }

    @Test(
        "Row 21: Systems before iOS 13 also require the old usage description",
        arguments: [("12.4", true), ("9", true), ("13.0", false), ("18.0", false), ("x", false)]
    )
    func oldSystems(version: String, isRequired: Bool) throws {
        let found = try findings([
            Self.usage: Samples.sentence, "MinimumOSVersion": "<string>\(version)</string>",
        ])
        #expect(obstacles(found) == (isRequired ? ["\(Self.oldUsage) is missing"] : []))
        let both = try findings([
            Self.usage: Samples.sentence, "MinimumOSVersion": "<string>\(version)</string>",
            Self.oldUsage: Samples.sentence,
        ])
        #expect(obstacles(both).isEmpty)
    }

    // MARK: Background modes

    @Test(
        "Row 21: A role in the background requires its mode",
        arguments: InfoPlistCheck.Role.allCases
    )
    func backgroundModes(role: InfoPlistCheck.Role) throws {
        let mode = "bluetooth-\(role)"
        let without = try findings([Self.usage: Samples.sentence]) { $0.backgroundRoles = [role] }
        #expect(obstacles(without) == ["\(Self.modes) \(mode) is missing"])
        let other = try findings(
            [Self.usage: Samples.sentence, Self.modes: strings("audio", "fetch")]
        ) { $0.backgroundRoles = [role] }
        #expect(obstacles(other) == ["\(Self.modes) \(mode) is missing"])
        let with = try findings(
            [Self.usage: Samples.sentence, Self.modes: strings("audio", mode)]
        ) { $0.backgroundRoles = [role] }
        #expect(with.map(\.severity) == [.good, .good])
    }

    @Test("Row 21: Restoration requires a background mode, by default the mode of the central")
    func restoration() throws {
        let found = try findings([Self.usage: Samples.sentence]) { $0.restores = true }
        #expect(obstacles(found) == ["\(Self.modes) bluetooth-central is missing"])
        #expect(found.last?.why.contains("does not request restoration") == true)
        let peripheral = try findings([Self.usage: Samples.sentence]) {
            $0.restores = true
            $0.backgroundRoles = [.peripheral]
        }
        #expect(obstacles(peripheral) == ["\(Self.modes) bluetooth-peripheral is missing"])
    }

    @Test("Row 21: An unrequested mode is noted, and a misspelled mode gives a warning")
    func unaskedModes() throws {
        let found = try findings([
            Self.usage: Samples.sentence,
            Self.modes: strings("bluetooth-central", "Bluetooth_Peripheral", "audio"),
        ])
        #expect(found.map(\.severity) == [.good, .note, .warning])
        #expect(found.last?.what == "'Bluetooth_Peripheral' is not a background mode")
    }

    @Test("Row 21: Background modes that are not strings are an obstacle")
    func malformedModes() throws {
        for value in ["<string>bluetooth-central</string>", "<array><true/></array>"] {
            let found = try findings([Self.usage: Samples.sentence, Self.modes: value])
            #expect(obstacles(found) == ["\(Self.modes) is not an array of strings"])
        }
    }

    // MARK: Devices

    @Test("Row 21: The capability for Low Energy may be required, but not excluded")
    func capabilities() throws {
        let array = try findings([
            Self.usage: Samples.sentence, Self.capabilities: strings("bluetooth-le"),
        ])
        #expect(array.map(\.severity) == [.good, .good])
        let excluded = try findings([
            Self.usage: Samples.sentence,
            Self.capabilities: "<dict><key>bluetooth-le</key><false/></dict>",
        ])
        #expect(obstacles(excluded) == ["\(Self.capabilities) bluetooth-le is false"])
        let others = try findings([
            Self.usage: Samples.sentence, Self.capabilities: strings("arm64"),
        ])
        #expect(others.count == 1)
    }

    // MARK: AccessorySetupKit

    @Test("Row 21: The system's picker requires its declarations")
    func accessorySetup() throws {
        let supports = "NSAccessorySetupSupports"
        let services = "NSAccessorySetupBluetoothServices"
        let missing = try findings([Self.usage: Samples.sentence]) { $0.usesAccessorySetup = true }
        #expect(obstacles(missing) == ["\(supports) does not have Bluetooth"])
        let bare = try findings([
            Self.usage: Samples.sentence, supports: strings("WiFi", "Bluetooth"),
        ])
        #expect(obstacles(bare).count == 1)
        let whole = try findings([
            Self.usage: Samples.sentence, supports: strings("Bluetooth"),
            services: strings("180D", "4C414E59-4152-4400-A000-000000001A01"),
        ])
        #expect(obstacles(whole).isEmpty && whole.last?.severity == .note)
        for wrong in [strings("heart"), strings("0000180D"), strings(), "<string>180D</string>"] {
            let found = try findings([
                Self.usage: Samples.sentence, supports: strings("Bluetooth"), services: wrong,
            ])
            #expect(obstacles(found).count == 1, "\(wrong)")
        }
    }

    @Test("Row 21: Declarations for the picker without its key give a warning")
    func accessorySetupInVain() throws {
        let found = try findings([
            Self.usage: Samples.sentence, "NSAccessorySetupBluetoothNames": strings("Lamp"),
            "NSAccessorySetupSupports": strings("WiFi"),
        ])
        #expect(found.map(\.severity) == [.good, .warning])
    }

    // MARK: macOS

    @Test("Row 21: On macOS, the entitlement is required only in the sandbox")
    func sandbox() throws {
        let sandbox = "com.apple.security.app-sandbox"
        let bluetooth = "com.apple.security.device.bluetooth"
        func obstacles(_ members: KeyValuePairs<String, String>) throws -> [String] {
            let entitlements = Samples.xml(members)
            return self.obstacles(
                try findings([Self.usage: Samples.sentence], entitlements: entitlements) {
                    $0.platform = .macOS
                }
            )
        }
        #expect(try obstacles([sandbox: "<true/>"]) == ["\(bluetooth) is missing"])
        let refused = [sandbox: "<true/>", bluetooth: "<false/>"] as KeyValuePairs
        #expect(try obstacles(refused) == ["\(bluetooth) is not true"])
        #expect(try obstacles([sandbox: "<true/>", bluetooth: "<true/>"]).isEmpty)
        #expect(try obstacles([sandbox: "<false/>"]).isEmpty)
        #expect(try obstacles([:]).isEmpty)
    }

    @Test("Row 21: The file determines its platform")
    func platform() throws {
        for members in [
            ["CFBundleSupportedPlatforms": strings("MacOSX")],
            ["LSMinimumSystemVersion": "<string>15.0</string>"],
        ] as [KeyValuePairs<String, String>] {
            let found = try findings(members) { $0.backgroundRoles = [.central] }
            #expect(obstacles(found) == ["\(Self.usage) is missing"])
            #expect(found.last?.what == "was not checked")
        }
        let phone: KeyValuePairs = ["CFBundleSupportedPlatforms": strings("iPhoneOS")]
        let found = try findings(phone) { $0.backgroundRoles = [.central] }
        #expect(obstacles(found).count == 2)
    }

    @Test("Row 21: Each obstacle or warning has a reason and a remedy") func remedies() throws {
        let found = try findings(["UIBackgroundModes": "<true/>"]) {
            $0.usesAccessorySetup = true
            $0.restores = true
        }
        #expect(found.count >= 3)
        for finding in found where finding.severity > .note {
            #expect(!finding.why.isEmpty && !finding.remedy.isEmpty, "\(finding.subject)")
        }
    }

    @Test("Entitlements that are not a property list are refused") func malformedEntitlements() {
        #expect(throws: PropertyListError.notAPropertyList) {
            try findings([:], entitlements: Data("x".utf8))
        }
    }
}
