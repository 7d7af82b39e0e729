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
        try await withKernel(setting, as: .central, "daemon: commands") { scene in
            let accessory = try await BumbleAccessory(in: scene)
            try await scene.bluez.powerOn()
            let program = try await InsideProgram(in: scene.bluez)
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
}
