// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import ProcessTestSupport
import Testing

private let service = BluetoothUUID(0xFFF0)
private let plain = ServedCharacteristic(
    uuid: BluetoothUUID(0xFFF1),
    flags: ["read", "write", "notify"],
    value: Array("ABC".utf8)
)
private let sealed = ServedCharacteristic(
    uuid: BluetoothUUID(0xFFF2),
    flags: ["encrypt-read"],
    value: Array("secret".utf8)
)

/// The static program as a central, on a controller that it takes from the kernel.
@Suite(.machines) struct InsideExploreTests {
    @Test(
        "The program explores bluetoothd's services with the capability, without root",
        arguments: Setting.all
    )
    func explores(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: explore") { bluez in
            let program = try await serve(bluez)
            let run = try await program.succeed(
                ["explore", "inside", "--adapter", "hci1", "--json", "--no-store"]
            )
            let services = try run.json["services"].elements
            let found = try #require(services.first { $0["uuid"].text == "FFF0" })
            let characteristics = found["characteristics"].elements
            #expect(characteristics.map { $0["uuid"].text } == ["FFF1", "FFF2"])
            #expect(characteristics.first?["value"].bytes == Array("ABC".utf8))
            // The kernel has the controller again, in its former state.
            #expect(try await state(of: "hci1", program) == "down")
        }
    }

    @Test(
        "The program pairs with BlueZ and reads a value that requires encryption",
        arguments: Setting.eachRelease
    )
    func pairs(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "inside: pair") { bluez in
            let program = try await serve(bluez)
            let store = "/tmp/store-\(bluez.setting.generation.rawValue)"
            try await bluez.shell("rm -rf \(store)")
            let arguments = ["--adapter", "hci1", "--store", store]
            _ = try await program.succeed(["pair", "inside"] + arguments)
            let read = try await program.succeed(["read", "inside", "FFF2", "--json"] + arguments)
            #expect(try read.json["value"].bytes == Array("secret".utf8))
        }
    }

    private func serve(_ bluez: BlueZ) async throws -> InsideProgram {
        try await bluez.powerOn()
        try await bluez.serve([ServedService(uuid: service, characteristics: [plain, sealed])])
        try await bluez.advertise(name: "inside", services: [service])
        return try await InsideProgram(in: bluez)
    }

    private func state(of adapter: String, _ program: InsideProgram) async throws -> String? {
        let list = try await program.succeed(["adapters", "--json"])
        return try list.json["adapters"].elements.first { $0["name"].text == adapter }?["state"]
            .text
    }
}
