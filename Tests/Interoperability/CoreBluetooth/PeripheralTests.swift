// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import BluetoothHost
    import CoreBluetooth
    import Foundation
    import Testing

    /// An app as a developer would write it for a phone serves a third-party central.
    @Suite(.needsPeers) struct PeripheralTests {
        private typealias Application = PeripheralApplication

        private func uuid(_ text: String) throws -> BluetoothUUID {
            try #require(BluetoothUUID(text))
        }

        @Test(
            "9.1, 9.2, 10.2, 10.3, 10.8, 12.1 Bumble finds the peripheral by name and reads values",
            arguments: ControllerKind.available
        )
        func reads(kind: ControllerKind) async throws {
            try await withPeripheralApplication(on: kind) { application, client in
                try await client.connect(name: "Server")
                let fixed = try await client.handle(uuid(Application.fixed))
                #expect(try await client.read(fixed) == Demo.pattern(20))
                let dynamic = try await client.handle(uuid(Application.dynamic))
                #expect(try await client.readLong(dynamic) == Demo.pattern(512))
                #expect(try await application.awaitLine("read A002 ") == "0")
            }
        }

        @Test(
            "10.4, 10.5, 10.6, 10.9 Bumble writes by request, in parts, and by command",
            arguments: ControllerKind.available
        )
        func writes(kind: ControllerKind) async throws {
            try await withPeripheralApplication(on: kind) { application, client in
                try await client.connect(address: HostFixture.address(), mtu: nil)
                let dynamic = try await client.handle(uuid(Application.dynamic))
                try await client.write([1, 2, 3], to: dynamic)
                #expect(try await application.awaitLine("write ") == "0")
                #expect(try await client.read(dynamic) == [1, 2, 3])
                try await client.writeLong(Demo.pattern(50), to: dynamic)
                #expect(try await application.awaitLine("write ") == "0 18 36")
                #expect(try await client.readLong(dynamic) == Demo.pattern(50))
                try await client.writeCommand([9], to: dynamic)
                #expect(try await application.awaitLine("write ") == "0")
                #expect(try await client.read(dynamic) == [9])
                await #expect(throws: Client.Failure.refused(ATT.ErrorCode(rawValue: 0x80))) {
                    try await client.write([0xFF], to: dynamic)
                }
            }
        }

        @Test(
            "10.1, 11.1, 11.2, 11.3 Bumble receives a stream with back-pressure, and indications",
            arguments: ControllerKind.available
        )
        func updates(kind: ControllerKind) async throws {
            try await withPeripheralApplication(on: kind) { application, client in
                try await client.connect(address: HostFixture.address())
                let notified = try await client.handle(uuid(Application.notified))
                try await client.subscribe(to: notified)
                try await application.awaitLine("subscribed A003")
                let values = (0..<500).map {
                    [UInt8($0 & 0xFF), UInt8($0 >> 8)] + Demo.pattern(18)
                }
                application.send(values.map { Data($0) })
                try await application.awaitLine("full")
                let received = try await client.values(values.count, of: notified)
                #expect(received.map(\.bytes) == values)
                let indicated = try await client.handle(uuid(Application.indicated))
                try await client.subscribe(to: indicated, indicates: true)
                try await application.awaitLine("subscribed A004")
                application.indicate(Data([5]))
                let indications = try await client.values(1, of: indicated)
                #expect(indications.map(\.bytes) == [[5]] && indications.first?.kind == .indication)
                try await client.unsubscribe(from: indicated)
                try await application.awaitLine("unsubscribed A004")
                try await client.disconnect()
                try await application.awaitLine("unsubscribed A003")
            }
        }

        @Test(
            "10.8 A value that requires encryption is readable only on an encrypted link",
            arguments: ControllerKind.available
        )
        func protection(kind: ControllerKind) async throws {
            try await withPeripheralApplication(
                on: kind,
                configuration: BondedClient.configuration(isAuthenticated: false)
            ) { application, client in
                try await client.connect(address: HostFixture.address())
                let secret = try await client.handle(uuid(Application.secret))
                await #expect(throws: Client.Failure.self) { try await client.read(secret) }
                await #expect(throws: Client.Failure.self) {
                    try await client.subscribe(to: secret)
                }
                try await client.encrypt(with: BondedClient.key)
                #expect(try await client.readLong(secret) == Demo.pattern(512))
                try await client.subscribe(to: secret)
                try await application.awaitLine("subscribed A005")
            }
        }
    }
#endif
