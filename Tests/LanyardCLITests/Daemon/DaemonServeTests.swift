// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BusTestSupport
import DBus
import Foundation
import ProcessTestSupport
import Testing

@testable import BlueZAdapter
@testable import LanyardCLI

/// `lanyard serve` on the system's Bluetooth daemon, which the test simulates.
@Suite("Serving on the Bluetooth daemon", .timeLimit(.minutes(2)))
struct DaemonServeTests {
    private static let peer = "C4:F0:00:00:00:01/random"
    private static let lamp = """
        {"name": "Lamp", "appearance": 1408, "services": [
          {"uuid": "1800", "characteristics": []},
          {"uuid": "180F", "characteristics": [
            {"uuid": "2A19", "properties": ["read", "write", "notify"], "value": "57",
             "maximumLength": 1}]}]}
        """

    /// Writes a database to a file while `body` runs.
    private func withFile(
        _ text: String,
        _ body: (String) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("serve-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file.path)
    }

    /// Serves the lamp while `body` uses it, and ends the process with Ctrl-C.
    private func serve(
        _ options: [String] = [],
        on serving: ServingDaemon,
        _ body: (ChildProcess) async throws -> Void
    ) async throws {
        try await withFile(Self.lamp) { path in
            try await DaemonRun.with(serving.daemon) { daemon in
                let process = try DaemonRun.start(["serve", path] + options, on: daemon)
                try await body(process)
                process.send(signal: SIGINT)
                let (_, ending) = try await process.waitUntilEnd(within: DaemonRun.limit)
                #expect(ending == .exited(ProcessStatus.success.rawValue), "\(process.log)")
            }
        }
    }

    private func expect(_ lines: [String], of process: ChildProcess) async throws {
        for line in lines {
            let printed = try await process.nextLine(within: DaemonRun.limit)
            #expect(printed == line, "\(process.log)")
        }
    }

    @Test("A central reads, writes and subscribes, and each action is printed")
    func serves() async throws {
        let serving = try ServingDaemon()
        try await serve(on: serving) { process in
            let path = try await serving.characteristic(0x2A19)
            let advertisement = try await serving.advertisement()
            #expect(advertisement["LocalName"] == .string("Lamp"))
            #expect(advertisement["Appearance"] == .uint16(1408))
            try await expect(
                [#"ready: "Lamp" at 00:11:22:33:44:55/public, 1 service, 1 characteristic"#],
                of: process
            )
            let read = try await serving.use(path, "ReadValue")
            #expect(read.body == [.bytes([0x57])])
            let written = try await serving.use(path, "WriteValue", [.bytes([0x10])])
            #expect(written.body.isEmpty)
            let refused = try await serving.use(path, "WriteValue", [.bytes([1, 2])])
            #expect(refused.errorName == "org.bluez.Error.InvalidValueLength")
            let acquired = try await serving.use(path, "AcquireNotify", [], ["mtu": .uint16(64)])
            #expect(acquired.descriptorCount == 1)
            let level = "Battery Level #\(try #require(Self.handle(in: path)))"
            try await expect(
                [
                    "connected: \(Self.peer)", "read: \(Self.peer) \(level) = 87 %",
                    "written: \(Self.peer) \(level) = 16 %",
                    "written: \(Self.peer) \(level): refused, Invalid Attribute Value Length",
                    "subscribed: \(Self.peer) \(level) (notification)",
                    // The test's message bus closes the socket of the subscription, which ends the
                    // subscription.
                    "unsubscribed: \(Self.peer) \(level)",
                ],
                of: process
            )
            process.write(line: "links")
            try await expect(["link: \(Self.peer), its protection is not reported"], of: process)
            serving.daemon.disconnectDevice()
            try await expect(
                ["disconnected: \(Self.peer): the Bluetooth daemon reports no reason"],
                of: process
            )
        }
    }

    /// Returns the handle in the path of an object.
    private static func handle(in path: DBusObjectPath) -> Int? {
        Int(path.lastElement.drop { !$0.isNumber })
    }

    @Test("A central pairs while the window is open, and its bond is printed")
    func pairs() async throws {
        let serving = try ServingDaemon()
        try await withFile(Self.lamp) { path in
            try await DaemonRun.with(serving.daemon) { daemon in
                let terminal = try TerminalSession(
                    ["serve", path, "--pair", "--pair-for", "0"],
                    environment: DaemonRun.environment(on: daemon)
                )
                try await terminal.wait(for: "ready: ")
                async let answer = serving.ask("RequestConfirmation", [.uint32(123_456)])
                try await terminal.wait(for: "\(Self.peer) wants to pair by numeric comparison")
                try await terminal.wait(for: "show 123 456? [y/N] ")
                terminal.type(line: "yes")
                #expect(try await answer.errorName == nil, "\(terminal.shown)")
                daemon.changeDevice(["Paired": .boolean(true), "Bonded": .boolean(true)])
                let bond = "\"Sensor\" \(Self.peer): kept by the Bluetooth daemon"
                try await terminal.wait(for: "bonded: " + bond)
                daemon.remove(FakeDaemon.device)
                try await terminal.wait(for: "bond removed: " + bond)
                terminal.type(line: "quit")
                let ending = try await terminal.waitUntilEnd()
                #expect(ending == .exited(ProcessStatus.success.rawValue), "\(terminal.shown)")
            }
        }
    }

    @Test("Without --pair, no central pairs")
    func refusesPairing() async throws {
        let serving = try ServingDaemon()
        try await serve(on: serving) { process in
            _ = try await process.nextLine(within: DaemonRun.limit)
            for member in ["RequestConfirmation", "RequestAuthorization", "RequestPasskey"] {
                let answer = try await serving.ask(member, [.uint32(1)])
                #expect(answer.errorName == "org.bluez.Error.Rejected")
            }
        }
    }

    @Test("A pairing window closes after its time, and a closed one declines without a question")
    func window() async throws {
        let (window, start) = (PairingPermission(), ContinuousClock.now)
        #expect(!window.isOpen(at: start))
        window.open(for: .seconds(300), now: start)
        #expect(window.isOpen(at: start + .seconds(299)))
        #expect(!window.isOpen(at: start + .seconds(300)))
        window.open(for: nil, now: start)
        #expect(window.isOpen(at: start + .seconds(1_000_000)))

        let lines = ScriptedAccessory.Recorder()
        let questions = QuestionQueue(unasked: .queued, say: { lines.note($0) })
        for _ in 1...3 { questions.receive("yes") }
        let dialogue = PairingDialogue(questions: questions, say: { lines.note($0) })
        let delegate = TerminalDelegate(dialogue: dialogue, permission: PairingPermission())
        let address = try #require(DeviceAddress("C4:F0:00:00:00:01", kind: .random))
        let incoming = DaemonPairing(address: address, isIncoming: true)
        #expect(await !delegate.consents(to: incoming))
        #expect(await !delegate.confirms(1, of: incoming))
        #expect(await delegate.enterDigits(for: incoming) == nil)
        #expect(lines.lines.isEmpty)
        // A pairing that this program began needs no window.
        #expect(
            await delegate.confirms(1, of: DaemonPairing(address: address, isIncoming: false))
        )
    }

    @Test("With --stay, the accessory waits for the daemon, and is served again when it returns")
    func stays() async throws {
        let serving = try ServingDaemon(isRunning: false)
        try await serve(["--stay", "--json"], on: serving) { process in
            func event() async throws -> String? {
                let line = try #require(try await process.nextLine(within: DaemonRun.limit))
                return try JSON(parsing: line)["event"].text
            }
            #expect(try await event() == "adapterLost")
            for count in 1...2 {
                serving.daemon.bus.setOwned("org.bluez", true)
                #expect(try await event() == "adapterBack")
                if count == 1 { #expect(try await event() == "ready") }
                _ = try await serving.characteristic(0x2A19)
                _ = try await serving.advertisement()
                serving.daemon.bus.setOwned("org.bluez", false)
                #expect(try await event() == "adapterLost")
            }
        }
    }

    @Test("Without --stay, the end of the daemon ends the command")
    func ends() async throws {
        let serving = try ServingDaemon()
        try await withFile(Self.lamp) { path in
            try await DaemonRun.with(serving.daemon) { daemon in
                let process = try DaemonRun.start(["serve", path], on: daemon)
                _ = try await process.nextLine(within: DaemonRun.limit)
                daemon.bus.setOwned("org.bluez", false)
                let (_, ending) = try await process.waitUntilEnd(within: DaemonRun.limit)
                #expect(ending == .exited(ProcessStatus.adapterUnavailable.rawValue))
                #expect(process.log.contains("systemctl start bluetooth"), "\(process.log)")
            }
        }
    }

    @Test(
        "A service or an advertisement that the daemon refuses ends the command",
        arguments: ["RegisterApplication", "RegisterAdvertisement"]
    )
    func refusedByDaemon(member: String) async throws {
        let serving = try ServingDaemon(refusing: member)
        try await withFile(Self.lamp) { path in
            try await DaemonRun.with(serving.daemon) { daemon in
                let run = try await DaemonRun.run(["serve", path], on: daemon)
                #expect(run.status == .refused || run.status == .inputOutput, "\(run)")
                #expect(run.log.contains("InvalidArguments"), "\(run.log)")
            }
        }
    }

    @Test("Authorization, which the daemon does not support, is refused")
    func authorization() async throws {
        let serving = try ServingDaemon()
        try await withFile(Self.lamp) { path in
            try await DaemonRun.with(serving.daemon) { daemon in
                let run = try await DaemonRun.run(
                    ["serve", path],
                    input: "authorize\nquit\n",
                    on: daemon
                )
                #expect(run.status == .success, "\(run)")
                #expect(run.log.contains("does not support authorization"), "\(run.log)")
            }
        }
    }

    @Test(
        "A service that the daemon would serve with less protection, or incompletely, is refused",
        arguments: [
            (
                #"{"uuid": "180F", "characteristics": [{"uuid": "2A19", "properties": ["read"], "#
                    + #""permissions": ["readAuthorized"]}]}"#,
                "2A19: the Bluetooth daemon does not support authorization and key sizes"
            ),
            (
                #"{"uuid": "180A", "characteristics": []}, "#
                    + #"{"uuid": "180F", "includes": ["180A"], "characteristics": []}"#,
                "180F: the Bluetooth daemon does not support services that include others"
            ),
        ]
    )
    func refusedParts(services: String, reason: String) async throws {
        let accessory = try ServedAccessory(parsing: #"{"services": [\#(services)]}"#)
        let failure = #expect(throws: ProgramFailure.self) { try accessory.servedByDaemon() }
        #expect(failure?.happened == reason)
    }

    @Test(
        "Options that the daemon cannot apply are refused",
        arguments: [
            ["--address", "C4:F0:00:00:00:07"], ["--pair", "--mitm"],
            ["--store", "folder"], ["--trace", "file"], ["--listen", "unix:/tmp/air"],
        ]
    )
    func refusedOptions(options: [String]) async throws {
        let serving = try ServingDaemon()
        try await withFile(Self.lamp) { path in
            try await DaemonRun.with(serving.daemon) { daemon in
                let run = try await DaemonRun.run(["serve", path] + options, on: daemon)
                #expect(run.status == .usage, "\(run)")
                #expect(!daemon.calls.contains("RegisterApplication"))
            }
        }
    }
}
