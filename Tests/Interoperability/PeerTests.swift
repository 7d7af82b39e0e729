// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing

/// The peers have the behavior that the other tests rely on.
@Suite(.needsPeers) struct PeerTests {
    static let limit: Duration = .seconds(90)

    @Test("An accessory describes its own database", arguments: ControllerKind.available)
    func description(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(.demo, on: controllers.adapters[0])
            #expect(accessory.name == "Lanyard Demo")
            #expect(accessory.address == "F1:A0:00:00:00:01")
            #expect(accessory.database["services"].elements.count == 6)
        }
    }

    @Test(
        "Each adapter that the controllers name is a valid adapter specification",
        arguments: ControllerKind.available
    )
    func adapters(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind, count: 5)
            #expect(controllers.adapters.count == 5)
            for adapter in controllers.adapters {
                #expect(try AdapterSpecification(adapter).description == adapter)
            }
        }
    }

    /// Our own controllers are omitted: `lanyard air` is not a program of the tests, and its own
    /// tests cover the end of its input.
    @Test(
        "Controllers end when their input closes",
        arguments: ControllerKind.available.filter { $0 != .lanyard }
    )
    func closedInput(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            controllers.process.closeInput()
            let ending = try await controllers.process.waitUntilEnd(within: Self.limit).ending
            #expect(ending == .exited(0))
        }
    }

    @Test("An accessory ends with its controller", arguments: ControllerKind.available)
    func killedController(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(.stream, on: controllers.adapters[0])
            controllers.process.kill()
            let ending = try await accessory.process.waitUntilEnd(within: Self.limit).ending
            #expect(ending == .exited(1))
            #expect(accessory.process.log.contains("the controller was lost"))
        }
    }

    @Test("The large profile has the structures that discovery has to handle")
    func largeProfile() async throws {
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

    @Test("A relay reports when it has passed the given number of bytes, and later the total")
    func relayReports() async throws {
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

    @Test("A relay breaks one connection, and passes later ones unchanged")
    func relayBreaksOnce() async throws {
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
