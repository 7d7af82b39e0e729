// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Requests about the link itself: its signal strength, version, PHYs, data length and connection
/// parameters. Bumble's controller supports few of them.
@Suite(.needsPeers) struct LinkTests {
    @Test("The host reads RSSI, version and PHYs on RootCanal, and changes PHYs", .needsRootCanal)
    func rootCanal() async throws {
        try await withHostFixture(on: .rootCanal) { fixture in
            let (link, _) = try await fixture.link()
            _ = try await link.readRSSI()
            let version = try await link.readRemoteVersion()
            #expect(version.version == 0x0C, "5.3")
            let before = try await link.readPHY()
            #expect([before.transmit, before.receive] == [.le1M, .le1M])
            let after = try await link.requestPHY(transmit: .le2M, receive: .le2M)
            #expect([after.transmit, after.receive] == [.le2M, .le2M])
            #expect(try await link.properties.phy == after)
        }
    }

    /// Bumble's controller refuses some commands that it lists as supported, and never answers
    /// others.
    @Test("Requests that the controller does not support do not end the link")
    func unsupportedRequests() async throws {
        try await withHostFixture(on: .bumble) { fixture in
            let (link, _) = try await fixture.link()
            for attempt in [
                await error { _ = try await link.readRSSI() },
                await error { _ = try await link.readRemoteVersion() },
                await error { try await link.requestDataLength() },
            ] {
                #expect(attempt is HostError?)
            }
            #expect(try await link.read(link.handle(Demo.short)) == Demo.pattern(20))
            #expect(await fixture.host.state == .ready)
        }
    }

    @Test("The host changes the connection parameters", arguments: ControllerKind.available)
    func changesParameters(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            let agreed = try await link.updateParameters(
                ConnectionUpdate(
                    intervalMinimum: .milliseconds(100),
                    intervalMaximum: .milliseconds(100),
                    peripheralLatency: 2,
                    supervisionTimeout: .seconds(4)
                )
            )
            #expect(agreed.interval == .milliseconds(100))
            #expect(agreed.peripheralLatency == 2)
            #expect(agreed.supervisionTimeout == .seconds(4))
            #expect(try await link.properties.parameters == agreed)
        }
    }

    @Test("The host accepts the accessory's parameter request", arguments: ControllerKind.available)
    func acceptsRequest(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (link, _) = try await fixture.link()
            try await link.command(.updateParameters, count: 50)
            try await within(HostFixture.limit, "the new interval") {
                while try await link.properties.parameters.interval != .milliseconds(50) {
                    // The new interval takes effect while these reads run.
                    _ = try await link.read(.first)
                }
            }
        }
    }

    @Test(
        "The host refuses parameter requests if its configuration requires that",
        arguments: ControllerKind.available
    )
    func refusesRequest(kind: ControllerKind) async throws {
        var configuration = HostConfiguration()
        configuration.acceptsParameterRequests = false
        try await withHostFixture(on: kind, configuration: configuration) { fixture in
            let (link, accessory) = try await fixture.link()
            let before = try await link.properties.parameters
            try await link.command(.updateParameters, count: 50)
            try await within(HostFixture.limit, "the refusal") {
                while !accessory.process.log.contains("parameters refused") {
                    _ = try await link.read(.first)
                }
            }
            #expect(try await link.properties.parameters == before)
        }
    }
}
