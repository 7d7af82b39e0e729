// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// The transport, the controller or the accessory fails. The pending requests fail soon, and the
/// host keeps working.
@Suite(.needsPeers) struct RecoveryTests {
    static let pointCount = 20

    /// The time that a pending request may take to fail.
    static let timeLimit: Duration = .seconds(60)

    @Test(
        "The host recovers from a transport that breaks at 20 points of an exploration",
        arguments: ControllerKind.available
    )
    func brokenWire(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let accessory = try await fixture.accessory(.demo)
            let before = fixture.wire.count
            #expect(try await explore(fixture).differences(from: accessory.services) == [])
            let total = fixture.wire.count - before
            for point in 1...Self.pointCount {
                fixture.wire.breakOff(after: total * point / (Self.pointCount + 1))
                let failure = await error { try await explore(fixture) }
                let now = ContinuousClock.now
                #expect(failure is HostError, "point \(point): \(String(describing: failure))")
                let brokenAt = try #require(fixture.wire.brokenAt, "point \(point)")
                #expect(brokenAt.duration(to: now) < Self.timeLimit, "point \(point)")
                try await fixture.waitForState("the adapter") { $0 == .ready }
            }
            #expect(try await explore(fixture).differences(from: accessory.services) == [])
        }
    }

    @Test(
        "The host uses a killed controller again after it restarts",
        arguments: ControllerKind.available
    )
    func killedController(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, hasFixedEndpoints: true) { fixture in
            let (link, _) = try await fixture.link()
            let values = try await link.subscribe(to: link.find(BluetoothUUID(0x2A37)))
            try await take(1, of: values)
            fixture.controllers.process.kill()
            let end = try await within(Self.timeLimit, "the end") { try await link.ended() }
            guard case .adapter(.transport) = end else {
                Issue.record("ended with \(end)")
                return
            }
            await #expect(throws: end) { try await take(.max, of: values) }
            await #expect(throws: end) { try await link.read(.first) }

            // A pending connection request stays pending.
            async let pending = fixture.connect(.whenAvailable)
            let scan = fixture.host.scan()
            _ = try await fixture.restartControllers()
            try await fixture.waitForState("the adapter") { $0 == .ready }
            let accessory = try await fixture.accessory(.demo)
            #expect(try await pending.address.description == accessory.address)
            let described = try await LinkDescription(link: pending).services()
            #expect(described.differences(from: accessory.services) == [])
            try await pending.disconnect()
            #expect(try await first(of: scan).address == HostFixture.address())
        }
    }

    @Test(
        "The host detects and resets an unresponsive controller",
        arguments: ControllerKind.available
    )
    func unresponsiveController(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, accessory) = try await fixture.link()
            fixture.controllers.process.suspend()
            async let end = within(Self.timeLimit, "the end") { try await link.ended() }
            _ = await error { try await link.disconnect() }
            #expect(try await end == .adapter(.unresponsive))
            #expect(await fixture.host.state != .ready)
            fixture.controllers.process.resume()
            try await fixture.waitForState("the adapter") { $0 == .ready }
            #expect(try await explore(fixture).differences(from: accessory.services) == [])
        }
    }

    @Test("A killed accessory ends only its own link", arguments: ControllerKind.available)
    func killedAccessory(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, accessoryLimit: 2) { fixture in
            _ = try await fixture.accessory(.stream, at: 1)
            let other = try await fixture.connect(at: 1)
            for readCount in [0, 10, 100] {
                let (link, accessory) = try await fixture.link()
                let described = try await LinkDescription(link: link).services()
                #expect(described.differences(from: accessory.services) == [])
                try await die(accessory, after: readCount, of: link)
                #expect(try await other.discoverServices().count == 3)
                #expect(await fixture.host.state == .ready)
            }
        }
    }

    /// Kills the accessory after this many reads, while more reads run.
    private func die(_ accessory: Accessory, after count: Int, of link: Link) async throws {
        let handle = try await link.handle(Demo.short)
        for _ in 0..<count { _ = try await link.read(handle) }
        async let failure = error {
            // Where the accessory's controller sends no termination, the supervision timeout ends
            // the link.
            try await within(HostFixture.limit, "the end") {
                while true { _ = try await link.read(handle) }
            }
        }
        accessory.process.kill()
        guard case .disconnected = await failure as? HostError else {
            Issue.record("ended with \(String(describing: await failure))")
            return
        }
    }

    @Test(
        "The host disconnects an accessory that stops answering",
        arguments: ControllerKind.available
    )
    func silentAccessory(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, accessory) = try await fixture.link()
            let handle = try await link.handle(Demo.short)
            accessory.process.suspend()
            let unanswered = Task { try await link.read(handle) }
            let abandoned = Task { try await link.read(handle) }
            abandoned.cancel()
            await #expect(throws: CancellationError.self) { try await abandoned.value }
            try await within(Self.timeLimit, "the end") { try await link.disconnect() }
            await #expect(throws: HostError.self) { try await unanswered.value }
            accessory.process.resume()
            #expect(try await explore(fixture).differences(from: accessory.services) == [])
        }
    }

    private func explore(_ fixture: HostFixture) async throws -> JSON {
        let link = try await fixture.connect()
        let services = try await LinkDescription(link: link).services()
        try await link.disconnect()
        return services
    }
}

extension Accessory {
    fileprivate var services: JSON { database["services"] }
}
