// SPDX-License-Identifier: Apache-2.0

import BluetoothRadios
import BluetoothTypes
import Foundation
import HCITransports
import JSONText
import Lanyard

/// One run of `live`: the hosts of an adapter, their devices, and the page.
struct LiveSession: Sendable {
    let setup: ShellSetup
    let console: Console
    let port: UInt16
    let isJSON: Bool
    /// The remarks of the adapter's session and of pairings, which the page shows.
    let remarks: AsyncStream<String>
    /// Whether to open the page in the person's browser.
    let opensBrowser: Bool

    /// The time between two updates of the page.
    private static let period = Duration.milliseconds(100)
    /// The time between two measurements of links.
    private static let measurePeriod = Duration.seconds(1)

    /// Runs until the task is canceled or the session fails.
    func run() async throws {
        let names = setup.adapter.adapter.radioNames.map { TerminalText.escape($0) }
        let start = ContinuousClock.now
        let hub = LiveHub(adapters: names, now: { .zero + (ContinuousClock.now - start) })
        let world = LiveWorld()
        var adapter = setup.adapter
        adapter.onPacket = { hub.receive($1, from: $0) }
        adapter.onAir = { [onAir = adapter.onAir] air in
            onAir(air)
            world.use(air)
        }
        try await adapter.withRadios { radios in
            let links = LiveLinks(setup, on: radios, hub)
            do {
                try await serve(hub, links, world, radios)
            } catch {
                await links.end()
                throw error
            }
            await links.end()
        }
    }

    private func serve(
        _ hub: LiveHub,
        _ links: LiveLinks,
        _ world: LiveWorld,
        _ radios: RadioGroup
    ) async throws {
        let requests = LiveRequests(hub: hub, links: links, world: world)
        let server = LiveServer(
            port: port,
            .init(respond: { await requests.respond(to: $0) }, present: { hub.present })
        )
        var generator = SystemRandomNumberGenerator()
        let access = LiveAccess(port: try await listen(server), using: &generator)
        requests.admit(access)
        do {
            try announce(access.address)
            let launched = opensBrowser ? BrowserLauncher.open(access.address) : nil
            defer { launched?.end() }
            let publicAddress = await radios.hosts[0].publicAddress
            try await FirstResult.of([
                { @Sendable in
                    for try await advertisement in radios.scan(reportsDuplicates: true) {
                        hub.receive(advertisement)
                    }
                    await EndOfInput.never()
                },
                { @Sendable in
                    while true {
                        try await Task.sleep(for: Self.period)
                        if let map = await world.map(around: publicAddress) { hub.set(world: map) }
                        await server.publish { hub.takeUpdate() }
                    }
                },
                { @Sendable in
                    for await text in remarks {
                        hub.send("remark", .init("text", .string(text)))
                    }
                    await EndOfInput.never()
                },
                { @Sendable in
                    while true {
                        try await Task.sleep(for: Self.measurePeriod)
                        await links.measure()
                    }
                },
            ])
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func listen(_ server: LiveServer) async throws -> UInt16 {
        do {
            return try await server.start()
        } catch {
            throw ProgramFailure(
                .inputOutput,
                TerminalText.escape("\(error)"),
                advice: "give another --port, or leave it out"
            )
        }
    }

    private func announce(_ address: String) throws {
        if isJSON {
            try console.print(Self.ready(address).timed().compact)
        } else {
            try console.print("The page is \(address)")
            console.remark("lanyard: keep the address secret. Ctrl-C ends the page.\n")
        }
    }

    /// Returns the event that tells programs that the page can be opened, without its time.
    static func ready(_ address: String) -> JSON {
        .object([.init("event", .string("ready")), .init("address", .string(address))])
    }
}
