// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing

/// The peers do what the other tests rely on.
@Suite(.needsPeers) struct PeerTests {
    static let limit: Duration = .seconds(90)

    @Test(arguments: ControllerKind.available)
    func anAccessoryDescribesItself(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(.demo, on: controllers.adapters[0])
            #expect(accessory.name == "Lanyard Demo")
            #expect(accessory.address == "F1:A0:00:00:00:01")
            #expect(accessory.database["services"].elements.count == 6)
        }
    }

    @Test(arguments: ControllerKind.available)
    func everyAdapterIsOneThatLanyardTakes(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind, count: 5)
            #expect(controllers.adapters.count == 5)
            for adapter in controllers.adapters {
                #expect(try AdapterSpecification(adapter).description == adapter)
            }
        }
    }

    /// Without our own controllers, which other programs use as well.
    @Test(arguments: ControllerKind.available.filter { $0 != .lanyard })
    func controllersEndWhenTheirInputCloses(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            controllers.process.closeInput()
            let ending = try await controllers.process.waitUntilEnd(within: Self.limit).ending
            #expect(ending == .exited(0))
        }
    }

    @Test(arguments: ControllerKind.available)
    func anAccessoryEndsWithItsController(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(.stream, on: controllers.adapters[0])
            controllers.process.kill()
            let ending = try await accessory.process.waitUntilEnd(within: Self.limit).ending
            #expect(ending == .exited(1))
            #expect(accessory.process.log.contains("the controller has gone"))
        }
    }

    @Test func theLargeDatabaseHasEveryShape() async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(.bumble)
            let accessory = try await peers.accessory(.large, on: controllers.adapters[0])
            let services = accessory.database["services"].elements
            #expect(services.count == 20)
            #expect(services.contains { $0["primary"] == .boolean(false) })
            #expect(services.contains { $0["includes"].elements.count > 1 })
            #expect(services.contains { $0["characteristics"].elements.isEmpty })
            let characteristics = services.flatMap { $0["characteristics"].elements }
            #expect(characteristics.contains { $0["value"].text?.count == 2 * 512 })
            let errors = Set(characteristics.compactMap { $0["error"].text })
            #expect(
                errors == [
                    "Insufficient Encryption", "Insufficient Authentication",
                    "Insufficient Authorization", "0x80",
                ]
            )
        }
    }

    @Test func aRelayReportsItsPointAndWhatPassed() async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(.bumble)
            let relay = try await peers.relay(to: controllers.adapters[0], at: 100)
            async let starting = peers.accessory(.demo, on: relay.adapter)
            try await relay.reached(within: Self.limit)
            relay.release()
            try await starting.process.kill()
            #expect(try await relay.passed(within: Self.limit) > 100)
        }
    }

    @Test func aRelayBreaksOnceAndThenNoMore() async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(.bumble)
            let relay = try await peers.relay(to: controllers.adapters[0], at: 100, do: .close)
            await #expect(throws: ProcessError.self) {
                try await peers.accessory(.demo, on: relay.adapter)
            }
            let accessory = try await peers.accessory(.demo, on: relay.adapter)
            #expect(accessory.name == "Lanyard Demo")
        }
    }
}
