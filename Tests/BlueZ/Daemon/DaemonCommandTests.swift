// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport
import Testing

/// Commands of a user without permissions, which use peripherals through bluetoothd.
@Suite(.machines) struct DaemonCommandTests {
    @Test(
        "Commands scan, explore, read, write and subscribe through bluetoothd",
        .needsBumble,
        arguments: Setting.eachRelease
    )
    func commands(_ setting: Setting) async throws {
        try await withKernel(setting, as: .central, "daemon: commands") { fixture in
            let accessory = try await BumbleAccessory(in: fixture)
            try await fixture.bluez.powerOn()
            let program = try await InsideProgram(in: fixture.bluez)
            try await program.setCapability(false)
            let daemon = ["--adapter", "bluez", "--timeout", "60"]
            let name = BumbleAccessory.name

            try await program.start(["scan", "--name", name] + daemon, as: "scan")
            #expect(try await program.line(of: "scan", after: "").contains(name))
            try await program.interrupt("scan")

            let table = try await program.succeed(["explore", name, "--json"] + daemon)
            let services = try table.json["services"].elements.compactMap { $0["uuid"].text }
            #expect(services.contains("180D"))

            let value = BumbleAccessory.value
            _ = try await program.succeed(["write", name, value, "0a0b"] + daemon)
            let read = try await program.succeed(["read", name, value, "--json"] + daemon)
            #expect(try read.json["value"].bytes == [10, 11])

            let beats = try await program.succeed(
                ["subscribe", name, "2A37", "--count", "3"] + daemon
            )
            #expect(beats.output.split(separator: "\n").count == 3)
            try await accessory.end()
        }
    }

    @Test(
        "The commands pair, bonds, run and shell create, list, use and remove a bond",
        .needsBumble,
        arguments: Setting.eachRelease
    )
    func bonds(_ setting: Setting) async throws {
        try await withKernel(setting, as: .central, "daemon: bonds") { fixture in
            let accessory = try await BumbleAccessory(in: fixture, io: "yes-no")
            try await fixture.bluez.powerOn()
            let program = try await InsideProgram(in: fixture.bluez)
            try await program.setCapability(false)
            let daemon = ["--adapter", "bluez", "--timeout", "60"]
            let name = BumbleAccessory.name

            try await program.start(["pair", name, "--answers"] + daemon, as: "pair")
            _ = try await fixture.bluez.output(of: "pair", within: Limits.discovery) {
                $0.contains("by numeric comparison")
            }
            try await fixture.bluez.write("y\n", to: "pair")
            try await program.line(of: "pair", after: "bond: kept by the Bluetooth daemon")
            #expect(try await program.end(of: "pair") == 0)
            let report = try #require(try await accessory.process.nextLine(within: Limits.step))
            #expect(report.contains(#""authenticated": true"#), "\(report)")

            let list = try await program.succeed(["bonds", "--adapter", "bluez", "--json"])
            #expect(try list.json.elements.map { $0["name"].text } == [name])

            let value = BumbleAccessory.value
            let lines = """
                connect \(name)
                write \(value) 0a0b
                read \(value)
                expect equals 0a0b
                subscribe 2A37
                wait notification 2A37
                unsubscribe 2A37
                subscribe 2A37
                wait notification 2A37
                disconnect
                """
            let script = try program.write(lines + "\n", to: "values.lanyard")
            _ = try await program.succeed(["run", script] + daemon)

            try await program.start(["shell"] + daemon, as: "shell")
            try await fixture.bluez.write("bonds\nforget \(name)\nbonds\nquit\n", to: "shell")
            try await program.line(of: "shell", after: "removed: \"\(name)\"")
            try await program.line(of: "shell", after: "There are no bonds.")
            #expect(try await program.end(of: "shell") == 0)
            try await accessory.end()
        }
    }
}
