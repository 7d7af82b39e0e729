// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing

@testable import LanyardCLI

@Suite("The command lanyard doctor") struct DoctorCommandTests {
    private func run(
        _ arguments: String...
    ) async -> (status: ProcessStatus, output: String, remarks: String) {
        let output = ScriptedAccessory.Recorder()
        let remarks = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { remarks.note($0) }
        )
        let status = await ProgramRun.run(["doctor"] + arguments, on: console)
        return (status, output.lines.joined(), remarks.lines.joined())
    }

    private func plist(_ members: String, in files: FakeSystemTree) throws -> String {
        try files.write("/Info.plist", "<plist><dict>\(members)</dict></plist>")
        return files.root + "/Info.plist"
    }

    @Test("A virtual adapter is opened without problems") func virtual() async {
        let run = await run("--adapter", "virtual", "--timeout", "60")
        #expect(run.status == .success && run.remarks.isEmpty)
        #expect(run.output.hasPrefix("✓ adapter: virtual, by --adapter: opened"))
    }

    @Test("A missing adapter is reported as the problem") func missing() async throws {
        let adapter = "unix:/nonexistent/lanyard"
        let run = await run("--adapter", adapter, "--no-store")
        #expect(run.status == .incomplete)
        #expect(run.output.hasPrefix("✗ adapter: \(adapter), by --adapter"))
        #expect(run.remarks.hasPrefix("lanyard: 1 problem found; "))
        #expect(await self.run("--adapter", adapter, "--no-store", "--no-probe").status == .success)
    }

    @Test("JSON lists the findings, and whether none is an obstacle") func json()
        async throws
    {
        let run = await run("--adapter", "nonsense", "--json")
        #expect(run.status == .incomplete)
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        let facts = try #require(object as? [String: Any])
        #expect(facts["isComplete"] as? Bool == false)
        let findings = try #require(facts["findings"] as? [[String: String]])
        let first = try #require(findings.first)
        #expect(Set(first.keys) == ["severity", "subject", "what", "why", "remedy"])
        #expect(first["severity"] == "obstacle" && first["subject"] == "adapter")
    }

    @Test("The directory of the bonds is checked") func store() async throws {
        let files = try FakeSystemTree()
        let adapter = "unix:/nonexistent/lanyard"
        let path = files.root + "/bonds"
        let absent = await run("--adapter", adapter, "--store", path, "--no-probe")
        #expect(absent.output.contains("✓ store: \(path) does not exist yet"))
        let store = try FileStore(directory: path)
        let held = await run("--adapter", adapter, "--store", path, "--no-probe")
        #expect(held.output.contains("! store: \(path) is in use by"))
        store.close()
        let usable = await run("--adapter", adapter, "--store", path, "--no-probe")
        #expect(usable.output.contains("✓ store: \(path) can be used"))
    }

    @Test("Without an option, the environment or the system chooses the adapter")
    func environment() async throws {
        let command = try DoctorCommand.parse(["--no-probe"])
        let none = try await command.system(
            on: .standard,
            reader: SystemReader(adapters: { [] }),
            environment: [:]
        )
        #expect(none.choice == .none)
        let first = try await command.system(
            on: .standard,
            reader: SystemReader(adapters: {
                [SystemAdapter(index: 0, state: .taken), SystemAdapter(index: 1)]
            }),
            environment: [:]
        )
        #expect(first.choice == .chosen(.reached(.hci(index: 1)), .system))
        #expect(first.probe == .notTried)
        let state = ["LANYARD_ADAPTER": "unix:/x", "XDG_STATE_HOME": "/nonexistent/state"]
        let some = try await command.system(on: .standard, environment: state)
        #expect(some.choice == .chosen(.reached(.unix(path: "/x")), .environment))
        guard case .absent(let path, _) = some.store else {
            Issue.record("\(some.store)")
            return
        }
        #expect(path.hasPrefix("/nonexistent/state/lanyard/unix+"))
    }

    // MARK: Apps

    @Test("Row 21: An app that lacks a requirement is exit code 78, and a complete app is code 0")
    func applications() async throws {
        let files = try FakeSystemTree()
        let bare = try plist("<key>CFBundleName</key><string>Lamp</string>", in: files)
        let lacking = await run("--info-plist", bare, "--background", "central,peripheral")
        #expect(lacking.status == .incomplete)
        #expect(lacking.output.contains("✗ NSBluetoothAlwaysUsageDescription: is missing"))
        #expect(lacking.output.contains("✗ UIBackgroundModes: bluetooth-peripheral is missing"))
        #expect(lacking.remarks.contains("3 problems found"))
        let whole = try plist(
            "<key>NSBluetoothAlwaysUsageDescription</key><string>Lamps.</string>",
            in: files
        )
        let complete = await run("--info-plist", whole)
        #expect(complete.status == .success && complete.remarks.isEmpty)
    }

    @Test("Row 21: The options describe the app's use of Bluetooth") func options() throws {
        let options = try InfoPlistOptions.parse([
            "--info-plist", "x", "--platform", "macOS", "--background", "peripheral",
            "--restoration", "--accessory-setup",
        ])
        let check = try options.check
        #expect(check.platform == .macOS && check.backgroundRoles == [.peripheral])
        #expect(check.restores && check.usesAccessorySetup)
    }

    @Test("Row 21: A missing file is exit code 74, and an invalid file is code 65 and is named")
    func refusals() async throws {
        let files = try FakeSystemTree()
        #expect(await run("--info-plist", "/nonexistent/x").status == .inputOutput)
        try files.write("/nonsense", "lamp = on;")
        let nonsense = await run("--info-plist", files.root + "/nonsense")
        #expect(nonsense.status == .badData)
        #expect(nonsense.remarks.contains("nonsense is not a property list: it is neither"))
        let whole = try plist("", in: files)
        let arguments = ["--info-plist", whole, "--entitlements", files.root + "/nonsense"]
        let entitlements = await run(arguments[0], arguments[1], arguments[2], arguments[3])
        #expect(entitlements.status == .badData)
        #expect(entitlements.remarks.contains("/nonsense is not a property list"))
        #expect(entitlements.remarks.contains("give the file with the app's entitlements"))
    }

    @Test("Control characters in a file's text are escaped") func escapes() async throws {
        let files = try FakeSystemTree()
        let path = try plist(
            "<key>UIBackgroundModes</key><array><string>bluetooth\u{9B}2J</string></array>",
            in: files
        )
        let run = await run("--info-plist", path)
        #expect(run.output.contains("'bluetooth\\u{9B}2J' is not a background mode"))
        #expect(!run.output.unicodeScalars.contains("\u{9B}"))
    }
}
