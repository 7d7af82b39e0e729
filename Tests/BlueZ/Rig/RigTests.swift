// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// The test rig: machines start, BlueZ answers, one of our hosts runs at the same time, and
/// machines can be paused.
@Suite(.machines) struct RigTests {
    @Test("BlueZ and one of our hosts start together", arguments: Setting.all)
    func starts(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "start") { bluez in
            let properties = try await bluez.powerOn(name: "first")
            #expect(properties["Powered"] == .boolean(true))
            #expect(properties["Alias"].text == "first")
            let host = try await bluez.makeHost()
            #expect(await host.state == .ready)
            #expect(try await bluez.kernelLog().filter(\.isProblem).map(\.text) == [])
        }
    }

    @Test("A reset removes the state of the previous scenario")
    func cleanStart() async throws {
        try await withBlueZ(.latest, as: .central, "clean start") { bluez in
            try await bluez.powerOn()
            try await bluez.shell("touch /var/lib/bluetooth/left; echo left > /dev/kmsg")
            try await bluez.spawn("cat", as: "left")
            try await bluez.reset()
            #expect(try await bluez.shell("ls /var/lib/bluetooth/left || true").contains("No such"))
            #expect(try await !bluez.kernelLog().contains { $0.text == "left" })
            await #expect(throws: Refusal("NotRunning")) { try await bluez.end("left") }
            #expect(try await bluez.call("devices") == .object([:]))
        }
    }

    @Test("Programs run in the machine")
    func programs() async throws {
        try await withBlueZ(.latest, as: .central, "programs") { bluez in
            #expect(try await bluez.shell("echo one; echo two >&2") == "one\ntwo\n")
            await #expect(throws: Refusal("Failed")) { try await bluez.shell("false") }
            try await bluez.spawn("while read word; do echo received $word; done", as: "ears")
            try await bluez.write("hello\n", to: "ears")
            #expect(try await bluez.output(of: "ears") == "received hello")
            try await bluez.end("ears")
            let ending = try await bluez.event("ended")
            #expect(ending["status"].integer == -15)
        }
    }

    @Test("The peer refuses unknown and invalid commands")
    func unknownCommands() async throws {
        try await withBlueZ(.latest, as: .central, "refusals") { bluez in
            await #expect(throws: Refusal("Unknown")) { try await bluez.call("nonsense") }
            await #expect(throws: Refusal("TypeError")) { try await bluez.call("value") }
            await #expect(throws: Refusal("org.bluez.Error.NotReady")) { try await bluez.scan() }
        }
    }

    @Test("A paused machine answers only after it resumes")
    func pausedMachine() async throws {
        try await withBlueZ(.latest, as: .central, "pause") { bluez in
            try await bluez.machine.pause()
            async let answer = bluez.shell("echo late")
            await #expect(throws: ProcessError.self) {
                try await bluez.call("devices", within: .milliseconds(300))
            }
            try await bluez.machine.resume()
            let text = try await answer
            #expect(text == "late\n")
        }
    }
}
