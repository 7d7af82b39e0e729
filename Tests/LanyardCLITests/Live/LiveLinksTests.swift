// SPDX-License-Identifier: Apache-2.0

import BluetoothRadios
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("The links of the live page", .timeLimit(.minutes(5)))
struct LiveLinksTests {
    private static let console = Console(
        isOutputTerminal: false,
        isRemarkTerminal: false,
        size: { Console.Size(columns: 80, rows: 24) },
        write: { _ in },
        remark: { _ in }
    )

    private struct Harness: Sendable {
        let links: LiveLinks
        let hub: LiveHub
        let world: LiveWorld
        let radios: RadioGroup

        /// Returns the address of a device as the page writes it.
        func device(_ name: String) async throws -> String {
            for try await advertisement in radios.scan()
            where advertisement.data.localName == name {
                return AddressText.describe(advertisement.address)
            }
            throw ProgramFailure(.notFound, "no \(name)")
        }

        /// Returns the number of a device on the map.
        func number(_ name: String) async throws -> Int {
            let map = try #require(await world.map(around: nil))
            let controllers = map.members?["controllers"]?.elements ?? []
            let found = controllers.first { $0.members?["name"]?.text == name }
            return Int(try #require(found?.members?["number"]?.double))
        }
    }

    /// Runs `body` with links of a host in the world of examples.
    ///
    /// - Parameter timeout: The limit of a step of the links, in seconds.
    private func withLinks(
        timeout: String,
        _ body: @escaping @Sendable (Harness) async throws -> Void
    ) async throws {
        let adapter = ["--adapter", "virtual", "--no-store"]
        let options = try AdapterOptions.parse(adapter + ["--timeout", timeout])
        let setup = try ShellSetup(options, on: Self.console)
        let world = LiveWorld()
        // The host can start late on a busy machine.
        let patient = try AdapterOptions.parse(adapter + ["--timeout", "60"])
        var session = try ShellSetup(patient, on: Self.console).adapter
        session.onAir = { world.use($0) }
        try await session.withRadios { radios in
            let hub = LiveHub(adapters: ["virtual"], now: { .zero })
            let links = LiveLinks(setup, on: radios, hub)
            try await body(Harness(links: links, hub: hub, world: world, radios: radios))
            await links.end()
        }
    }

    @Test("A failed connection does not count toward the limit of devices")
    func failedConnections() async throws {
        try await withLinks(timeout: "0.05") { harness in
            for number in 0...LiveLinks.deviceLimit {
                let failure = await #expect(throws: ProgramFailure.self) {
                    try await harness.links.perform(
                        ["connect"],
                        on: "C0:00:00:00:00:0\(number)/random"
                    )
                }
                #expect(failure?.status != .usage)
            }
        }
    }

    @Test("The command disconnect cancels a connection attempt")
    func disconnectWhileConnecting() async throws {
        try await withLinks(timeout: "60") { harness in
            let device = try await harness.device("Thermometer")
            let number = try await harness.number("Thermometer")
            try await harness.world.power(number, isOn: false)
            let connection = Task {
                try await harness.links.perform(["connect"], on: device)
            }
            while !harness.hub.present.contains("\"connecting\"") { await Task.yield() }
            _ = try await harness.links.perform(["disconnect"], on: device)
            try await harness.world.power(number, isOn: true)
            await #expect(throws: (any Error).self) { try await connection.value }
            #expect(await harness.radios.links.isEmpty)
            // The device can be connected again, but only on request.
            #expect(!harness.hub.present.contains("\"connected\""))
            _ = try await harness.links.perform(["connect"], on: device)
            #expect(await harness.radios.links.count == 1)
            #expect(harness.hub.present.contains("\"connected\""))
        }
    }
}
