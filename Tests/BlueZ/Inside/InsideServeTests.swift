// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import ProcessTestSupport
import Testing

private let open = BluetoothUUID(0xFFF1)
private let sealed = BluetoothUUID(0xFFF2)

private let database = """
    {
      "name": "inside-lanyard",
      "services": [
        {
          "uuid": "FFF0",
          "characteristics": [
            {
              "uuid": "FFF1", "properties": ["read", "write", "notify"], "value": "010203"
            },
            {
              "uuid": "FFF2", "properties": ["read"], "permissions": ["readEncrypted"],
              "value": "5ea1"
            }
          ]
        }
      ]
    }
    """

/// The static program as an accessory, on a controller that it takes from the kernel.
@Suite(.machines) struct InsideServeTests {
    @Test(
        "BlueZ finds the program's services, uses values, and receives notifications",
        arguments: Setting.oldestAndLatest
    )
    func serves(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "inside: serve") { bluez in
            let program = try await serving(bluez, ["--no-store"])
            let path = try await find(bluez)
            try await bluez.connect(path)
            #expect(try await bluez.read(open, from: path) == [1, 2, 3])
            try await bluez.write([4, 5], to: open, at: path)
            try await program.line(of: "accessory", after: "written: ")
            #expect(try await bluez.read(open, from: path) == [4, 5])
            let characteristic = try await bluez.subscribe(to: open, at: path)
            try await program.line(of: "accessory", after: "subscribed: ")
            try await bluez.write("notify FFF1 060708\n", to: "accessory")
            // BlueZ reports a notified value as it reports a read value: as a change of the
            // property `Value`. This value was never read.
            try await bluez.change(of: characteristic, "Value", to: .bytes([6, 7, 8]))
            try await bluez.disconnect(path)
            try await program.line(of: "accessory", after: "disconnected: ")
            #expect(try await program.interrupt("accessory") == 0)
        }
    }

    @Test(
        "BlueZ pairs with the program and reads a value that requires encryption",
        arguments: Setting.eachRelease
    )
    func pairs(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "inside: pair") { bluez in
            let program = try await serving(
                bluez,
                ["--no-store", "--pair", "--io", "no-input-no-output", "--answers"]
            )
            let path = try await find(bluez)
            try await bluez.connect(path)
            async let pairing = bluez.pair(path)
            // Just Works does not protect against an attacker in the middle, so the program asks
            // its user, here the test.
            _ = try await bluez.output(of: "accessory") { $0.contains("wants to pair") }
            try await bluez.write("y\n", to: "accessory")
            _ = try await pairing
            try await program.line(of: "accessory", after: "bonded: ")
            #expect(try await bluez.read(sealed, from: path) == [0x5E, 0xA1])
            #expect(try await program.interrupt("accessory") == 0)
        }
    }

    /// The program runs as the unit in Packaging starts it: the process has the capability, no user
    /// can be asked, and the adapter appears later.
    @Test(
        "A service waits for its adapter and keeps its bonds",
        arguments: Setting.latestOnly
    )
    func service(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "inside: a service") { bluez in
            let program = try await InsideProgram(in: bluez)
            try await program.beService()
            let file = try program.write(database, to: "inside.json")
            let command = ["serve", "--stay", file, "--adapter", "hci1"]
            try await bluez.pullOutAdapters()
            let pairing = ["--pair", "--io", "display-only"]
            try await program.start(command + pairing, as: "accessory", by: .service)
            try await program.line(of: "accessory", after: "adapter lost: ")
            try await bluez.putBackAdapters()
            try await program.line(of: "accessory", after: "ready: ")
            try await bluez.powerOn(io: .keyboardOnly)
            let path = try await find(bluez)
            try await bluez.connect(path)
            async let paired = bluez.pair(path)
            let shown = try await program.line(of: "accessory", after: "Enter ")
            _ = try await bluez.question("passkey")
            let digits = shown.prefix { $0 != "a" }.filter(\.isNumber)
            try await bluez.answer(passkey: try #require(Int(digits)))
            _ = try await paired
            try await program.line(of: "accessory", after: "bonded: ")
            #expect(try await bluez.read(sealed, from: path) == [0x5E, 0xA1])
            #expect(try await program.interrupt("accessory") == 0)

            // The bonds are loaded at the next start, and are valid without --pair.
            try await bluez.change(of: path, "Connected", to: .boolean(false))
            try await program.start(command, as: "again", by: .service)
            try await program.line(of: "again", after: "ready: ")
            try await bluez.connect(path)
            #expect(try await bluez.read(sealed, from: path) == [0x5E, 0xA1])
            #expect(try bluez.pendingEvents("agent") == [])
            #expect(try await program.interrupt("again") == 0)
        }
    }

    private func serving(_ bluez: BlueZ, _ options: [String]) async throws -> InsideProgram {
        try await bluez.powerOn()
        let program = try await InsideProgram(in: bluez)
        let file = try program.write(database, to: "inside.json")
        try await program.start(["serve", file, "--adapter", "hci1"] + options, as: "accessory")
        try await program.line(of: "accessory", after: "ready: ")
        return program
    }

    private func find(_ bluez: BlueZ) async throws -> String {
        try await bluez.scan()
        let path = try await bluez.device(named: "inside-lanyard")
        try await bluez.stopScan()
        return path
    }
}
