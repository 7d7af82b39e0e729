// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our host as a peripheral that serves Bumble clients.
struct Server: Sendable {
    let fixture: HostFixture

    /// The published services, in the order of the definitions.
    let services: [GATT.DiscoveredService]

    /// The recorder of the host's server events.
    let recorder: ClientRecorder

    var host: BluetoothHost { fixture.host }

    /// Returns the handle of the first value with this UUID.
    func handle(_ uuid: BluetoothUUID) throws -> AttributeHandle {
        let found = services.lazy.compactMap { $0.characteristic(uuid) }.first
        return try #require(found).valueHandle
    }

    /// Connects the client at `place`. Returns the client, and our end of its link.
    func client(at place: Int = 0, mtu: Int? = 517) async throws -> (Client, Link) {
        let client = try await fixture.client(at: place)
        return (client, try await connect(client, mtu: mtu))
    }

    /// Connects a client. Returns our end of its link.
    func connect(_ client: Client, mtu: Int? = 517) async throws -> Link {
        try await client.connect(address: HostFixture.address(), mtu: mtu)
        return try await recorder.link()
    }

    /// Waits until the client's link has ended.
    func disconnection(of link: Link) async throws {
        try await recorder.wait(for: "the end of the link") {
            if case .disconnected(link, _) = $0 { true } else { false }
        }
    }
}

extension HostFixture {
    /// Returns a Bumble client on the adapter at `place`, not connected yet.
    func client(at place: Int = 0) async throws -> Client {
        try await peers.client(
            on: controllers.adapters[1 + place],
            address: Client.address(at: place).description
        )
    }
}

/// Gives `body` our host on controllers of a kind, as an advertising peripheral that serves these
/// services, with room for this many clients.
///
/// - Parameter answer: Receives each event first. Returns whether it has handled the event
///   completely.
func withServer(
    on kind: ControllerKind,
    clientLimit: Int = 1,
    judging judged: Trace.Sides = .both,
    configuration: HostConfiguration = HostConfiguration(),
    at location: SourceLocation = #_sourceLocation,
    serving definitions: [GATT.ServiceDefinition],
    answering answer: @escaping @Sendable (ServerEvent) -> Bool = { _ in false },
    _ body: (Server) async throws -> Void
) async throws {
    var configuration = configuration
    configuration.address = HostFixture.address()
    try await withHostFixture(
        on: kind,
        accessoryLimit: clientLimit,
        judging: judged,
        configuration: configuration,
        at: location
    ) { fixture in
        var services: [GATT.DiscoveredService] = []
        for definition in definitions {
            services.append(try await fixture.host.publish(definition))
        }
        let recorder = try await ClientRecorder(of: fixture.host, answering: answer)
        var advertising = Advertising(AdvertisingContent(localName: "Server"))
        advertising.interval = .milliseconds(30) ... .milliseconds(40)
        _ = try await fixture.host.advertise(advertising)
        try await body(Server(fixture: fixture, services: services, recorder: recorder))
    }
}
