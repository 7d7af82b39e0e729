// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// BlueZ reads and writes values that our host serves.
@Suite(.machines) struct BeingReadTests {
    @Test(
        "BlueZ reads short and long values and receives the error of a refused read",
        arguments: Setting.all
    )
    func reads(_ setting: Setting) async throws {
        try await withServingHost(setting, "reads, long reads") { server in
            let (client, _) = try await server.connectClient()
            #expect(try await client.read(ServerFixture.short) == ServerFixture.pattern(20))
            #expect(try await client.read(ServerFixture.short, offset: 5) == Array(5..<20))
            #expect(try await client.read(ServerFixture.long) == ServerFixture.pattern(512))
            #expect(try await client.read(ServerFixture.dynamic) == ServerFixture.countdown)
            #expect(
                try await client.read(BluetoothUUID(0x2901), of: ServerFixture.short)
                    == ServerFixture.description
            )
            let refusal = await #expect(throws: Refusal.self) {
                try await client.read(ServerFixture.refused)
            }
            // BlueZ has no name for an application error, and reports its number.
            #expect(refusal?.name == "org.bluez.Error.Failed")
            #expect(refusal?.text.contains("0x81") == true)
        }
    }

    /// With the smallest MTU, reading a value of 512 bytes takes 24 requests.
    @Test(
        "BlueZ reads and writes long values in parts with the smallest MTU",
        arguments: Setting.all
    )
    func smallMTU(_ setting: Setting) async throws {
        let plan = ServerPlan.such { $0.configuration.attMTU = 23 }
        try await withServingHost(setting, "long values in parts", plan) { server in
            let (client, link) = try await server.connectClient()
            #expect(try await link.mtu == 23)
            #expect(try await client.read(ServerFixture.long) == ServerFixture.pattern(512))
            #expect(server.recorder.count(of: .readBlobRequest) >= 512 / 22)
            let handle = try server.handle(ServerFixture.long)
            try await client.write(
                Array(ServerFixture.pattern(512).reversed()),
                to: ServerFixture.long
            )
            #expect(await server.host.value(of: handle) == ServerFixture.pattern(512).reversed())
            #expect(server.recorder.count(of: .prepareWriteRequest) == (512 + 17) / 18)
            try await client.write(ServerFixture.pattern(200), to: ServerFixture.dynamic)
            #expect(await server.application.content == ServerFixture.pattern(200))
        }
    }

    @Test(
        "BlueZ writes values by requests, long writes and reliable writes",
        arguments: Setting.all
    )
    func writes(_ setting: Setting) async throws {
        try await withServingHost(setting, "writes, long writes, reliable writes") { server in
            let (client, _) = try await server.connectClient()
            try await expectWrite(ServerFixture.pattern(3), to: ServerFixture.long, server, client)
            try await expectWrite(
                ServerFixture.pattern(512, start: 7),
                to: ServerFixture.long,
                server,
                client
            )
            try await client.write(ServerFixture.pattern(300), to: ServerFixture.dynamic)
            #expect(await server.application.content == ServerFixture.pattern(300))
            let reliable = ServerFixture.pattern(60, start: 9)
            try await expectWrite(
                reliable,
                to: ServerFixture.reliable,
                as: .reliable,
                server,
                client
            )
            #expect(server.recorder.count(of: .executeWriteRequest) >= 1)
            let refusal = await #expect(throws: Refusal.self) {
                try await client.write([1], to: ServerFixture.refused)
            }
            #expect(refusal?.name == "org.bluez.Error.Failed")
            #expect(refusal?.text.contains("0x81") == true)
        }
    }

    @Test("Write commands from BlueZ arrive in order", arguments: Setting.all)
    func commands(_ setting: Setting) async throws {
        try await withServingHost(setting, "commands") { server in
            let (client, _) = try await server.connectClient()
            let handle = try server.handle(ServerFixture.commanded)
            for number in UInt8(0)..<20 {
                try await client.write([number], to: ServerFixture.commanded, as: .command)
            }
            for number in UInt8(0)..<20 {
                let entries = try await server.application.written(handle)
                #expect(entries.map(\.value) == [[number]])
            }
            #expect(server.recorder.count(of: .writeCommand) == 20)
        }
    }

    private func expectWrite(
        _ value: [UInt8],
        to uuid: BluetoothUUID,
        as type: BlueZ.WriteType = .request,
        _ server: ServingHostFixture,
        _ client: Client
    ) async throws {
        let handle = try server.handle(uuid)
        try await client.write(value, to: uuid, as: type)
        #expect(await server.host.value(of: handle) == value)
        #expect(try await client.read(uuid) == value)
    }
}
