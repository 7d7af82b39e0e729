// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

@Suite(.needsPeers) struct ConnectingTests {
    @Test(
        "A link has the peer's address, the MTU and the requested parameters",
        arguments: ControllerKind.available
    )
    func linkProperties(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, accessory) = try await fixture.link()
            #expect(link.address.description == accessory.address)
            let properties = try await link.properties
            #expect(properties.mtu == accessory.database["mtu"].integer)
            let wanted = ConnectParameters()
            let range = wanted.intervalMinimum...wanted.intervalMaximum
            #expect(range.contains(properties.parameters.interval))
            #expect(properties.parameters.supervisionTimeout == wanted.supervisionTimeout)
        }
    }

    @Test("The host reconnects after it has disconnected", arguments: ControllerKind.available)
    func reconnection(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            _ = try await fixture.accessory(.demo)
            // Bumble's controller reports to our host the reason that our host gave to the peer.
            let code: HCI.ErrorCode =
                kind == .bumble
                ? .remoteUserTerminatedConnection : .connectionTerminatedByLocalHost
            for _ in 0..<3 {
                let link = try await fixture.connect()
                try await link.disconnect()
                #expect(try await link.ended() == .disconnected(code))
                await #expect(throws: HostError.disconnected(code)) {
                    try await link.read(.first)
                }
                try await link.disconnect()
            }
            #expect(await fixture.host.links.isEmpty)
        }
    }

    @Test(
        "A disconnection by the accessory reports its reason",
        arguments: ControllerKind.available
    )
    func disconnectionByPeer(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            try await link.command(.disconnect)
            let reason = try await within(HostFixture.limit, "the end") { try await link.ended() }
            #expect(reason == .disconnected(.remoteUserTerminatedConnection))
            await #expect(throws: reason) { try await link.read(.first) }
        }
    }

    @Test(
        "A pending connection request connects an accessory that starts later",
        arguments: ControllerKind.available
    )
    func pendingRequest(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            async let connected = fixture.connect(.whenAvailable)
            _ = try await fixture.accessory(.demo)
            let link = try await connected
            #expect(link.address == HostFixture.address())
            #expect(try await !link.discoverServices().isEmpty)
        }
    }

    /// Bumble's controller has no Filter Accept List.
    @Test("Several pending connection requests connect their accessories", .needsRootCanal)
    func severalRequests() async throws {
        try await withHostFixture(on: .rootCanal, accessoryLimit: 3) { fixture in
            async let third = fixture.connect(at: 2, .whenAvailable)
            async let second = fixture.connect(at: 1, .whenAvailable)
            async let first = fixture.connect(at: 0, .whenAvailable)
            for place in 0..<3 { _ = try await fixture.accessory(.stream, at: place) }
            let links = try await [first, second, third]
            #expect(links.map(\.address) == (0..<3).map { HostFixture.address(at: $0) })
            for link in links { #expect(try await link.discoverServices().count == 3) }
        }
    }

    /// Bumble's controller cannot cancel a connection request: it reports success, and continues.
    @Test("A direct connection does not wait for a pending connection request", .needsRootCanal)
    func directConnection() async throws {
        try await withHostFixture(on: .rootCanal, accessoryLimit: 2) { fixture in
            let pending = Task { try await fixture.connect(at: 1, .whenAvailable) }
            let (link, _) = try await fixture.link()
            #expect(try await !link.discoverServices().isEmpty)
            _ = try await fixture.accessory(.stream, at: 1)
            #expect(try await pending.value.address == HostFixture.address(at: 1))
        }
    }

    @Test(
        "A connection request times out if its accessory is missing",
        arguments: ControllerKind.available
    )
    func timeout(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            var options = ConnectOptions()
            options.timeout = .milliseconds(300)
            await #expect(throws: HostError.timedOut) {
                try await fixture.host.connect(to: HostFixture.address(), options: options)
            }
            // Bumble's controller reports that it has stopped, but makes the link.
            guard kind != .bumble else { return }
            _ = try await fixture.link()
        }
    }

    @Test(
        "A canceled connection request ends",
        arguments: ControllerKind.available,
        [ConnectOptions(), .whenAvailable]
    )
    func cancellation(
        kind: ControllerKind,
        options: ConnectOptions
    ) async throws {
        try await withHostFixture(on: kind) { fixture in
            let host = fixture.host
            await withTaskGroup(of: (any Error)?.self) { attempts in
                for _ in 0..<2 {
                    attempts.addTask {
                        await error {
                            try await host.connect(to: HostFixture.address(), options: options)
                        }
                    }
                }
                // The accessory is missing, so an attempt ends only because the other has begun.
                #expect(await attempts.next() as? HostError == .alreadyConnecting)
                attempts.cancelAll()
                #expect(await attempts.next() is CancellationError)
            }
            guard kind != .bumble else { return }
            _ = try await fixture.link()
            #expect(await host.links.count == 1)
        }
    }

    @Test(
        "The host refuses a second connection to a connected peer",
        arguments: ControllerKind.available
    )
    func alreadyConnected(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            await #expect(throws: HostError.alreadyConnecting) {
                try await fixture.host.connect(to: link.address)
            }
            #expect(await fixture.host.links == [link])
        }
    }
}
