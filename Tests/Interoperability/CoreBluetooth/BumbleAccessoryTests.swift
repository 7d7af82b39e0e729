// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CoreBluetooth
    import Foundation
    import Testing

    /// An app as a developer would write it for a phone uses a third-party accessory.
    @Suite(.needsPeers) struct BumbleAccessoryTests {
        @Test(
            "6.2, 7.1, 7.2, 7.3, 7.4 An app reads and writes long values",
            arguments: ControllerKind.available
        )
        func values(kind: ControllerKind) async throws {
            try await withDemo(on: kind) { application, _ in
                let peripheral = try #require(application.peripheral)
                peripheral.readValue(for: try application.find(Demo.long))
                #expect(
                    try await application.awaitLine("value ") == "ok \(Demo.pattern(512).digits)"
                )
                let written = Demo.pattern(500, start: 7)
                #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
                let writable = try application.find(Demo.writable)
                peripheral.writeValue(Data(written), for: writable, type: .withResponse)
                #expect(try await application.awaitLine("wrote ") == "ok")
                peripheral.readValue(for: writable)
                #expect(try await application.awaitLine("value ") == "ok \(written.digits)")
            }
        }

        @Test(
            "7.1, 7.11 All notifications arrive in order, and two indications arrive",
            arguments: ControllerKind.available
        )
        func notifications(kind: ControllerKind) async throws {
            try await withDemo(on: kind) { application, _ in
                let peripheral = try #require(application.peripheral)
                peripheral.setNotifyValue(true, for: try application.find(Demo.burst))
                #expect(try await application.awaitLine("notifying ") == "true ok")
                try application.command(.notify, count: 50, size: 20)
                for number in 0..<50 {
                    let value = try await application.awaitLine("value ok ")
                    #expect(value.hasPrefix(bytes(of: number).digits))
                }
                let indicated = try application.find(Demo.indicated)
                peripheral.setNotifyValue(true, for: indicated)
                #expect(try await application.awaitLine("notifying ") == "true ok")
                let first = try await application.awaitLine("value ok ")
                let second = try await application.awaitLine("value ok ")
                #expect(first != second)
                peripheral.setNotifyValue(false, for: indicated)
                #expect(try await application.awaitLine("notifying ") == "false ok")
            }
        }

        @Test(
            "5.2.3, 5.6, 5.7, 5.8 An accessory that has disconnected connects again",
            arguments: ControllerKind.available
        )
        func disconnection(kind: ControllerKind) async throws {
            try await withDemo(on: kind) { application, _ in
                let peripheral = try #require(application.peripheral)
                try application.command(.disconnect)
                #expect(try await application.awaitLine("disconnected ") == "CBError 7")
                #expect(peripheral.state == .disconnected)
                #expect(peripheral.services == nil)
                application.manager?.connect(peripheral)
                try await application.awaitLine("connected")
                try await application.explore()
                peripheral.readValue(for: try application.find(Demo.short))
                #expect(
                    try await application.awaitLine("value ") == "ok \(Demo.pattern(20).digits)"
                )
                application.manager?.cancelPeripheralConnection(peripheral)
                #expect(try await application.awaitLine("disconnected ") == "ok")
            }
        }

        @Test("5.2.2, 5.6 The link to a killed accessory times out")
        func timeout() async throws {
            try await withDemo(on: .lanyard) { application, accessory in
                accessory.process.kill()
                let reason = try await application.awaitLine("disconnected ")
                #expect(reason == "CBError 6")
            }
        }

        @Test(
            "6.6 A service that is added before the subscription to changes is reported",
            arguments: ControllerKind.available
        )
        func earlyChange(kind: ControllerKind) async throws {
            try await withApplication(on: kind) { application, peers, controllers in
                _ = try await peers.accessory(
                    .demo,
                    on: controllers.adapters[1],
                    options: ["--grows"]
                )
                let peripheral = try await application.connect(to: CBUUID(string: "180F"))
                peripheral.discoverServices(nil)
                try await application.awaitLine("services ok")
                let count = peripheral.services?.count ?? 0
                #expect(try await application.awaitLine("modified ") == "")
                peripheral.discoverServices(nil)
                try await application.awaitLine("services ok")
                #expect(peripheral.services?.count == count + 1)
                #expect(peripheral.services?.last?.uuid == CBUUID(string: "FEED"))
            }
        }

        @Test(
            "8.1 A read of a protected value pairs once, and later reads use the bond",
            arguments: ControllerKind.available
        )
        func pairing(kind: ControllerKind) async throws {
            try await withApplication(on: kind) { application, peers, controllers in
                let harness = PeerHarness(kind: kind, peers: peers, controllers: controllers)
                let companion = try await harness.companion()
                try await companion.prepare()
                for _ in 0..<2 {
                    try await companion.advertise()
                    if let known = application.peripheral {
                        application.manager?.connect(known)
                        try await application.awaitLine("connected")
                    } else {
                        _ = try await application.connect(to: nil)
                    }
                    try await application.explore()
                    let peripheral = try #require(application.peripheral)
                    peripheral.readValue(for: try application.find(Companion.secret))
                    let value = try await application.awaitLine("value ")
                    #expect(value == "ok \(Companion.secretValue.digits)")
                    #expect(try await companion.bonds().count == 1)
                    application.manager?.cancelPeripheralConnection(peripheral)
                    #expect(try await application.awaitLine("disconnected ") == "ok")
                    try await companion.awaitEnd()
                }
                #expect(try await companion.countPassed() == 0)
            }
        }

        /// Connects to the demo accessory, and discovers it.
        private func withDemo(
            on kind: ControllerKind,
            _ body: (CentralApplication, Accessory) async throws -> Void
        ) async throws {
            try await withApplication(on: kind) { application, peers, controllers in
                let accessory = try await peers.accessory(.demo, on: controllers.adapters[1])
                let peripheral = try await application.connect(to: CBUUID(string: "180F"))
                #expect(peripheral.name == "Lanyard Demo")
                try await application.explore()
                try await body(application, accessory)
            }
        }

        private func bytes(of number: Int) -> [UInt8] {
            (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) }
        }
    }
#endif
