// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport
import Testing

/// `lanyard serve` of a user without permissions, through bluetoothd.
@Suite(.machines) struct DaemonServeTests {
    private static let database = """
        {"name": "Served", "advertising": {"interval": [0.03, 0.04]}, "services": [
          {"uuid": "FFF0", "characteristics": [
            {"uuid": "FFF1", "properties": ["read", "write", "notify"], "value": "010203"},
            {"uuid": "FFF2", "properties": ["read"], "permissions": ["readEncrypted"],
             "value": "5ea1"}]}]}
        """

    @Test(
        "A client of Bumble uses a served accessory, and pairs with it",
        .needsBumble,
        arguments: Setting.eachRelease
    )
    func serves(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "daemon: serve") { fixture in
            // Without an agent of another program.
            try await fixture.bluez.shell("bluetoothctl power on")
            let program = try await InsideProgram(in: fixture.bluez)
            try await program.setCapability(false)
            let file = try program.write(Self.database, to: "served.json")
            let options = ["--adapter", "bluez", "--timeout", "60", "--pair", "--answers"]
            try await program.start(["serve", file] + options, as: "accessory")
            let ready = try await program.line(of: "accessory", after: "ready: ")
            #expect(ready.contains("\(KernelAir.kernelAddress)"), "\(ready)")
            let intervals = try await fixture.wire().advertisingIntervals
            switch setting.release {
            // BlueZ 5.66 on Linux 6.1 does not use the interval of the file.
            case .bookworm: #expect(intervals.last == .milliseconds(1_280) ... .milliseconds(1_280))
            case .trixie: #expect(intervals.last == .milliseconds(30) ... .milliseconds(40))
            }

            let client = try await BumbleClient(in: fixture)
            try await client.perform("connect", ["name": .string("Served")])
            let value = ["handle": try await client.handle(of: "FFF1")]
            #expect(try await client.perform("read", value).text == "010203")
            try await program.line(of: "accessory", after: "connected: ")
            try await program.line(of: "accessory", after: "read: ")
            try await client.perform("write", value.merging(["value": .string("0405")]) { $1 })
            #expect(try await program.line(of: "accessory", after: "written: ").contains("0405"))
            #expect(try await client.perform("read", value).text == "0405")
            try await notifies(program, client, value)

            let secret = ["handle": try await client.handle(of: "FFF2")]
            #expect(try await client.answer("read", secret).members["refused"] != nil)
            async let pairing = client.perform("pair")
            _ = try await fixture.bluez.output(of: "accessory", within: Limits.discovery) {
                $0.contains("wants to pair")
            }
            try await fixture.bluez.write("y\n", to: "accessory")
            #expect(try await pairing["encrypted"] == .boolean(true))
            try await program.line(of: "accessory", after: "bonded: ")
            #expect(try await client.perform("read", secret).text == "5ea1")

            try await client.perform("disconnect")
            try await program.line(of: "accessory", after: "disconnected: ")
            #expect(try await program.interrupt("accessory") == 0)
            try await client.end()
        }
    }

    private func notifies(
        _ program: InsideProgram,
        _ client: BumbleClient,
        _ value: [String: JSON]
    ) async throws {
        try await client.perform("subscribe", value)
        try await program.line(of: "accessory", after: "subscribed: ")
        for number in 1...3 {
            try await program.bluez.write("notify FFF1 0\(number)\n", to: "accessory")
            let received = try await client.perform("values", ["count": .number(1)])
            #expect(received.elements.map { $0["value"].text } == ["0\(number)"])
        }
        try await client.perform("unsubscribe", value)
        try await program.line(of: "accessory", after: "unsubscribed: ")
    }
}
