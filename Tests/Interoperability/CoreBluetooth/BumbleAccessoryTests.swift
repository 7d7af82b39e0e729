// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CoreBluetooth
    import Foundation
    import Testing

    /// An application as a developer would write it for a phone uses a third-party accessory.
    @Suite(.needsPeers) struct BumbleAccessoryTests {
        @Test(
            "6.2, 7.1, 7.2, 7.3, 7.4 Long values are read and written whole",
            arguments: ControllerKind.available
        )
        func values(kind: ControllerKind) async throws {
            try await withDemo(on: kind) { visitor, _ in
                let peripheral = try #require(visitor.peripheral)
                peripheral.readValue(for: try visitor.find(Demo.long))
                #expect(try await visitor.hear("value ") == "ok \(Demo.pattern(512).digits)")
                let written = Demo.pattern(500, start: 7)
                #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
                let writable = try visitor.find(Demo.writable)
                peripheral.writeValue(Data(written), for: writable, type: .withResponse)
                #expect(try await visitor.hear("wrote ") == "ok")
                peripheral.readValue(for: writable)
                #expect(try await visitor.hear("value ") == "ok \(written.digits)")
            }
        }

        @Test(
            "7.1, 7.11 Notifications and indications arrive in order, and none is missing",
            arguments: ControllerKind.available
        )
        func notifications(kind: ControllerKind) async throws {
            try await withDemo(on: kind) { visitor, _ in
                let peripheral = try #require(visitor.peripheral)
                peripheral.setNotifyValue(true, for: try visitor.find(Demo.burst))
                #expect(try await visitor.hear("notifying ") == "true ok")
                try visitor.command(.notify, count: 50, size: 20)
                for number in 0..<50 {
                    let value = try await visitor.hear("value ok ")
                    #expect(value.hasPrefix(octets(of: number).digits))
                }
                let indicated = try visitor.find(Demo.indicated)
                peripheral.setNotifyValue(true, for: indicated)
                #expect(try await visitor.hear("notifying ") == "true ok")
                let first = try await visitor.hear("value ok ")
                let second = try await visitor.hear("value ok ")
                #expect(first != second)
                peripheral.setNotifyValue(false, for: indicated)
                #expect(try await visitor.hear("notifying ") == "false ok")
            }
        }

        @Test(
            "5.2.3, 5.6, 5.7, 5.8 An accessory's disconnection is reported, and it reconnects",
            arguments: ControllerKind.available
        )
        func farewell(kind: ControllerKind) async throws {
            try await withDemo(on: kind) { visitor, _ in
                let peripheral = try #require(visitor.peripheral)
                try visitor.command(.disconnect)
                #expect(try await visitor.hear("disconnected ") == "CBError 7")
                #expect(peripheral.state == .disconnected)
                #expect(peripheral.services == nil)
                visitor.manager?.connect(peripheral)
                try await visitor.hear("connected")
                try await visitor.explore()
                peripheral.readValue(for: try visitor.find(Demo.short))
                #expect(try await visitor.hear("value ") == "ok \(Demo.pattern(20).digits)")
                visitor.manager?.cancelPeripheralConnection(peripheral)
                #expect(try await visitor.hear("disconnected ") == "ok")
            }
        }

        @Test("5.2.2, 5.6 The link to a killed accessory times out")
        func death() async throws {
            try await withDemo(on: .lanyard) { visitor, accessory in
                accessory.process.kill()
                let reason = try await visitor.hear("disconnected ")
                #expect(reason == "CBError 6")
            }
        }

        @Test(
            "6.6 A service that is added before the subscription to changes is reported",
            arguments: ControllerKind.available
        )
        func earlyChange(kind: ControllerKind) async throws {
            try await withVisitor(on: kind) { visitor, peers, controllers in
                _ = try await peers.accessory(
                    .demo,
                    on: controllers.adapters[1],
                    options: ["--grows"]
                )
                let peripheral = try await visitor.meet(CBUUID(string: "180F"))
                peripheral.discoverServices(nil)
                try await visitor.hear("services ok")
                let count = peripheral.services?.count ?? 0
                #expect(try await visitor.hear("modified ") == "")
                peripheral.discoverServices(nil)
                try await visitor.hear("services ok")
                #expect(peripheral.services?.count == count + 1)
                #expect(peripheral.services?.last?.uuid == CBUUID(string: "FEED"))
            }
        }

        @Test(
            "8.1 A protected value is read after an automatic pairing, and again later",
            arguments: ControllerKind.available
        )
        func pairing(kind: ControllerKind) async throws {
            try await withVisitor(on: kind) { visitor, peers, controllers in
                let arena = Arena(kind: kind, peers: peers, controllers: controllers)
                let companion = try await arena.companion()
                try await companion.prepare()
                for _ in 0..<2 {
                    try await companion.advertise()
                    if let known = visitor.peripheral {
                        visitor.manager?.connect(known)
                        try await visitor.hear("connected")
                    } else {
                        _ = try await visitor.meet(nil)
                    }
                    try await visitor.explore()
                    let peripheral = try #require(visitor.peripheral)
                    peripheral.readValue(for: try visitor.find(Companion.secret))
                    let value = try await visitor.hear("value ")
                    #expect(value == "ok \(Companion.secretValue.digits)")
                    #expect(try await companion.bonds().count == 1)
                    visitor.manager?.cancelPeripheralConnection(peripheral)
                    #expect(try await visitor.hear("disconnected ") == "ok")
                    try await companion.ended()
                }
                #expect(try await companion.countPassed() == 0)
            }
        }

        /// Connects to the demo accessory, and discovers it.
        private func withDemo(
            on kind: ControllerKind,
            _ body: (Visitor, Accessory) async throws -> Void
        ) async throws {
            try await withVisitor(on: kind) { visitor, peers, controllers in
                let accessory = try await peers.accessory(.demo, on: controllers.adapters[1])
                let peripheral = try await visitor.meet(CBUUID(string: "180F"))
                #expect(peripheral.name == "Lanyard Demo")
                try await visitor.explore()
                try await body(visitor, accessory)
            }
        }

        private func octets(of number: Int) -> [UInt8] {
            (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) }
        }
    }
#endif
