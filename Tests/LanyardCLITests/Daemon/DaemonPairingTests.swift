// SPDX-License-Identifier: Apache-2.0

import BusTestSupport
import DBus
import ProcessTestSupport
import Testing

@testable import LanyardCLI

/// Pairing, bonds and the shell on the system's Bluetooth daemon, which the test simulates.
@Suite("Bonds and the shell on the Bluetooth daemon", .timeLimit(.minutes(2)))
struct DaemonPairingTests {
    private static let sensor = "C4:F0:00:00:00:01"
    private static let isBonded: [String: DBusValue] = [
        "Paired": .boolean(true), "Bonded": .boolean(true),
    ]

    private static func bonded() -> [String: FakeDaemon.Interfaces] {
        var objects = FakeDaemon.standard
        objects[FakeDaemon.device]?["org.bluez.Device1"]?.merge(isBonded) { $1 }
        return objects
    }

    /// Calls a method of the program's agent about the device.
    private static func ask(_ member: String, _ arguments: [DBusValue], _ daemon: FakeDaemon) {
        guard let agent = DBusObjectPath("/org/lanyard/agent"),
            let device = DBusObjectPath(FakeDaemon.device)
        else { return }
        daemon.bus.send(
            DBusMessage(
                .call(path: agent, interface: "org.bluez.Agent1", member: member),
                sender: FakeBus.program,
                body: [.objectPath(device)] + arguments
            )
        )
    }

    /// Makes the daemon connect, and compare digits with the person, before it answers `Pair`.
    private static func comparesDigits(_ daemon: FakeDaemon) {
        daemon.on("Pair") { call, daemon in
            if !daemon.calls.contains("Connect") { daemon.connectDevice() }
            daemon.onReply { reply in
                guard case .reply = reply.kind else {
                    return daemon.bus.refuse(call, "org.bluez.Error.AuthenticationRejected")
                }
                daemon.changeDevice(isBonded)
                daemon.bus.reply(to: call)
            }
            ask("RequestConfirmation", [.uint32(123_456)], daemon)
        }
    }

    @Test("The pair command asks the daemon's question, and reports the daemon's bond")
    func pairs() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            Self.comparesDigits(daemon)
            let arguments = ["pair", "Sensor", "--answers", "--json"]
            let run = try await DaemonRun.run(arguments, input: "yes\n", on: daemon)
            #expect(run.status == .success, "\(run)")
            #expect(run.log.contains("123 456") && run.log.contains(Self.sensor), "\(run.log)")
            let report = try JSON(parsing: run.output)
            #expect(report["method"].text == "numeric comparison")
            #expect(run.output.contains(#""bond":null,"isBonded":true"#), "\(run)")
            #expect(!daemon.calls.contains("Connect"), "the pairing made the link")
            await daemon.called("Disconnect")
        }
    }

    @Test("A pairing fails if the answer to its question is no")
    func declines() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            Self.comparesDigits(daemon)
            let arguments = ["pair", "Sensor", "--answers"]
            let run = try await DaemonRun.run(arguments, input: "no\n", on: daemon)
            #expect(run.status == .refused, "\(run)")
            #expect(!run.output.contains("paired"))
            await daemon.called("Disconnect")
        }
    }

    @Test(
        "A pairing without a question is reported as Just Works, even if the bond precedes the reply"
    )
    func justWorks() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            daemon.on("Pair") { call, daemon in
                daemon.connectDevice()
                daemon.changeDevice(Self.isBonded)
                daemon.bus.reply(to: call)
            }
            let run = try await DaemonRun.run(["pair", "Sensor", "--json"], on: daemon)
            #expect(run.status == .success, "\(run)")
            #expect(try JSON(parsing: run.output)["method"].text == "just works", "\(run)")
        }
    }

    @Test("A pairing reports its own device's bond even if another device bonds meanwhile")
    func reportsOwnBond() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            daemon.on("Pair") { call, daemon in
                daemon.connectDevice()
                // The daemon keeps the path, and learns the identity address.
                let identity = ["Address": DBusValue.string("C4:F0:00:00:00:99")]
                daemon.changeDevice(Self.isBonded.merging(identity) { $1 })
                let other: [String: DBusValue] = [
                    "Address": .string("AA:00:00:00:00:01"), "Name": .string("Other"),
                ]
                daemon.add(
                    FakeDaemon.adapter + "/dev_AA_00_00_00_00_01",
                    ["org.bluez.Device1": Self.isBonded.merging(other) { $1 }]
                )
                daemon.bus.reply(to: call)
            }
            let run = try await DaemonRun.run(["pair", "Sensor", "--json"], on: daemon)
            #expect(run.status == .success, "\(run)")
            let report = try JSON(parsing: run.output)
            #expect(report["name"].text == "Sensor", "\(run)")
            #expect(run.output.contains(#""isBonded":true"#), "\(run)")
        }
    }

    @Test("The pair command reports a device that is bonded already")
    func isBondedAlready() async throws {
        try await DaemonRun.with(FakeDaemon(objects: Self.bonded())) { daemon in
            let run = try await DaemonRun.run(["pair", "Sensor"], on: daemon)
            #expect(run.status == .success, "\(run)")
            #expect(run.output.hasPrefix("bonded already: \"Sensor\" \(Self.sensor)"), "\(run)")
            #expect(run.output.contains("bond: kept by the Bluetooth daemon"), "\(run)")
            #expect(!daemon.calls.contains("Pair"), "BlueZ 5.66 would pair over BR/EDR")
        }
    }

    @Test("Bonds of the daemon are listed and removed")
    func bonds() async throws {
        try await DaemonRun.with(FakeDaemon(objects: Self.bonded())) { daemon in
            daemon.on("RemoveDevice") { call, daemon in
                daemon.remove(FakeDaemon.device)
                daemon.bus.reply(to: call)
            }
            let line = "\"Sensor\" \(Self.sensor)/random: kept by the Bluetooth daemon\n"
            let list = try await DaemonRun.run(["bonds"], on: daemon)
            #expect(list.status == .success && list.output == line, "\(list)")
            let other = try await DaemonRun.run(["bonds", "remove", "Lamp"], on: daemon)
            #expect(other.status == .notFound, "\(other)")
            let removed = try await DaemonRun.run(["bonds", "remove", "Sensor"], on: daemon)
            #expect(removed.status == .success, "\(removed)")
            #expect(removed.output == "removed: " + line)
            let empty = try await DaemonRun.run(["bonds", "--json"], on: daemon)
            #expect(try JSON(parsing: empty.output).elements.isEmpty, "\(empty)")
        }
    }

    @Test("A script of the shell uses links, values, subscriptions and bonds of the daemon")
    func shell() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            Self.comparesDigits(daemon)
            daemon.on("StartNotify") { call, daemon in
                daemon.bus.reply(to: call)
                let interface = "org.bluez.GattCharacteristic1"
                daemon.change(FakeDaemon.rate, interface, ["Value": .bytes([0, 72])])
            }
            daemon.on("RemoveDevice") { call, daemon in
                daemon.remove(FakeDaemon.device)
                daemon.bus.reply(to: call)
            }
            let lines = [
                "connect Sensor", "mtu", "read 2A37", "expect equals 010203", "write 2A39 0a0b",
                "subscribe 2A37", "wait notification 2A37", "rssi", "answer yes", "pair", "status",
                "disconnect", "connect Sensor", "bonds", "forget Sensor",
            ]
            let input = lines.joined(separator: "\n") + "\n"
            let run = try await DaemonRun.run(["shell"], input: input, on: daemon)
            #expect(run.status == .success, "\(run)")
            for part in [
                "Connected to Sensor", "MTU 100", "72", "-61 dBm", "method: numeric comparison",
                "its protection is not reported", "Disconnected from Sensor",
                "removed: \"Sensor\"",
            ] {
                #expect(run.output.contains(part), "\(part) is not in\n\(run.output)")
            }
            #expect(daemon.calls.filter { $0 == "Connect" }.count == 2)
        }
    }

    @Test("A line of the shell that needs a controller fails with the reason")
    func refusedLines() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            let input = "connect Sensor\nparameters\n"
            let run = try await DaemonRun.run(["shell"], input: input, on: daemon)
            #expect(run.status == .usage, "\(run)")
            #expect(run.log.contains("gives no access to parameters"), "\(run.log)")
        }
    }

    @Test("The shell reports the end of a link that the daemon reports, and connects again")
    func linkEnds() async throws {
        try await DaemonRun.with(FakeDaemon()) { daemon in
            daemon.on("WriteValue") { call, daemon in
                daemon.bus.reply(to: call)
                daemon.disconnectDevice()
            }
            let input = "connect Sensor\nwrite 2A39 01\nwait disconnected\nconnect\nread 2A37\n"
            let run = try await DaemonRun.run(["shell"], input: input, on: daemon)
            #expect(run.status == .success, "\(run)")
            #expect(run.output.contains("The link to Sensor ended"), "\(run)")
        }
    }
}
