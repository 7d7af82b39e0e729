// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CoreBluetooth
    import Foundation
    import HCITransports
    import Lanyard
    import Observation
    import Testing

    @testable import ExampleKiosk

    /// The app of Examples/Kiosk, in real time, with third-party badges.
    @Suite(.needsPeers) struct BumbleKioskTests {
        @Test(
            "Rows 2, 7, 11, 14, 16, 17: The kiosk pairs a tapped badge, and knows it after a relaunch"
        )
        @MainActor
        func relaunch() async throws {
            try await withKioskFixture { @MainActor fixture in
                let badges = [try await fixture.badge(1), try await fixture.badge(2)]
                let first = try fixture.kiosk()
                let search = Task { await first.nearby.search() }
                try await shown("both badges") {
                    Set(first.nearby.devices.map(\.name)) == ["Badge 1", "Badge 2"]
                }
                let second = first.nearby.devices.first { $0.name == "Badge 2" }
                await first.tap(try #require(second))
                #expect(first.screen.problem == nil)
                let badge = try #require(first.screen.accessories.first)
                #expect(badge.id == .manufacturer(company: 0xFFFF, identifier: Data([0, 0, 0, 2])))
                await first.send("Hello", to: badge)
                #expect(first.answers[badge.id] == "Badge 2 read Hello")
                // The written bytes do not contain the text of the note.
                let written = Data(try await badges[1].perform("written")["value"].bytes)
                #expect(!written.isEmpty && written.range(of: Data("Hello".utf8)) == nil)
                // A badge that leaves is removed from the list.
                badges[0].process.kill()
                try await shown("one badge") { first.nearby.devices.map(\.name) == ["Badge 2"] }
                search.cancel()
                await search.value
                await first.screen.central.shutDown()

                // At the next launch, the badge has another address.
                badges[1].process.kill()
                let again = try fixture.kiosk()
                #expect(again.screen.accessories.map(\.id) == [badge.id])
                _ = try await fixture.badge(2, address: "F1:A0:00:00:00:2F")
                await again.send("Again", to: try #require(again.screen.accessories.first))
                #expect(again.screen.problem == nil)
                #expect(again.answers[badge.id] == "Badge 2 read Again")
                await again.screen.central.shutDown()
            }
        }

        @Test(
            "Row 13: The pairing of a second badge takes the only connection slot from the first one"
        )
        @MainActor
        func slots() async throws {
            try await withKioskFixture { @MainActor fixture in
                for number in 1...2 { _ = try await fixture.badge(number) }
                let kiosk = try fixture.kiosk { $0.connectionLimit = .fixed(1) }
                let search = Task { await kiosk.nearby.search() }
                try await shown("both badges") {
                    kiosk.nearby.devices.compactMap(\.name).count == 2
                }
                let devices = kiosk.nearby.devices
                await kiosk.tap(devices[0])
                #expect(kiosk.screen.problem == nil)
                await kiosk.tap(devices[1])
                #expect(kiosk.screen.problem == nil)
                #expect(Set(kiosk.screen.accessories.map(\.id)) == Set(devices.map(\.id)))
                let badge = try #require(
                    kiosk.screen.accessories.first { $0.id == devices[1].id }
                )
                await kiosk.send("Hi", to: badge)
                #expect(kiosk.answers[badge.id] == "\(devices[1].name ?? "") read Hi")
                search.cancel()
                await kiosk.screen.central.shutDown()
            }
        }

        @Test("Row 17: A badge does not answer a note that another key authenticates")
        @MainActor
        func otherKey() async throws {
            try await withKioskFixture { @MainActor fixture in
                let badge = try await fixture.badge(
                    1,
                    authentication: Data(repeating: 9, count: 16)
                )
                let kiosk = try fixture.kiosk()
                let search = Task { await kiosk.nearby.search() }
                try await shown("the badge") { kiosk.nearby.devices.count == 1 }
                await kiosk.tap(kiosk.nearby.devices[0])
                let model = try #require(kiosk.screen.accessories.first)
                let note = Task { await kiosk.send("Hello", to: model) }
                try await badge.perform("unopened")
                #expect(kiosk.answers.isEmpty)
                search.cancel()
                await kiosk.screen.central.shutDown()
                await note.value
                #expect(kiosk.answers.isEmpty && kiosk.screen.problem != nil)
            }
        }

        /// Waits until a screen satisfies the condition.
        @MainActor
        private func shown(
            _ what: String,
            _ isShown: @escaping @MainActor @Sendable () -> Bool
        ) async throws {
            let (changes, change) = AsyncStream<Void>.makeStream()
            try await within(BoxFixture.limit, what) { @MainActor in
                // `onChange` is called just before the change. The loop checks the condition again
                // after the change, because both run on the main actor.
                while true {
                    let isDone = withObservationTracking {
                        isShown()
                    } onChange: {
                        change.yield()
                    }
                    if isDone { return }
                    for await _ in changes { break }
                }
            }
        }
    }

    /// Bumble badges and a kiosk on controllers of one radio, and a directory for its store.
    private struct KioskFixture: Sendable {
        private static let encryption = Data(0..<16)
        private static let authentication = Data(16..<32)

        let peers: PeerGroup
        let controllers: Controllers
        let folder: String

        /// Starts the badge with this number, 1 or 2.
        func badge(
            _ number: Int,
            address: String? = nil,
            authentication: Data = Self.authentication
        ) async throws -> Client {
            let script = PeerInstallation.scripts + "badge.py"
            let settings = [
                "--adapter", controllers.adapters[number],
                "--name", "Badge \(number)",
                "--address", address ?? "F1:A0:00:00:00:2\(number)",
                "--id", "0000000\(number)",
                "--key", Self.digits(Self.encryption),
                "--authentication", Self.digits(authentication),
            ]
            let peer = try await peers.start(PeerInstallation.python, [script] + settings)
            return Client(process: peer.process)
        }

        /// Launches the app.
        @MainActor
        func kiosk(
            _ change: (inout AccessoryCentral.Configuration) -> Void = { _ in }
        ) throws -> Kiosk {
            var configuration = AccessoryCentral.Configuration(name: "kiosk")
            let specification = try AdapterSpecification(controllers.adapters[0])
            configuration.adapter = CBAdapter(transport: specification.makeTransport())
            configuration.store = .file(URL(fileURLWithPath: "\(folder)/accessories.json"))
            change(&configuration)
            let sealing = try AuthenticatedCBCSealing(
                encryption: SealingKey(Self.encryption),
                authentication: SealingKey(Self.authentication)
            )
            return Kiosk(sealing: sealing, configuration: configuration)
        }

        private static func digits(_ bytes: Data) -> String {
            bytes.map { String(format: "%02x", $0) }.joined()
        }
    }

    private func withKioskFixture(
        _ body: @MainActor (KioskFixture) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withPeers { peers in
            let controllers = try await peers.controllers(.lanyard, count: 3)
            try await body(KioskFixture(peers: peers, controllers: controllers, folder: folder))
        }
    }
#endif
