// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

/// Our host, serving and advertising, and BlueZ within its range.
struct ServingHostFixture: Sendable {
    let bluez: BlueZ
    let host: BluetoothHost
    let recorder: RequestRecorder
    let services: [GATT.DiscoveredService]
    let application: ServerApplication
    let person: Person
    let advertising: AdvertisingSet

    /// Returns the handle of the first value with this UUID.
    func handle(_ uuid: BluetoothUUID) throws -> AttributeHandle {
        try #require(services.lazy.compactMap { $0.characteristic(uuid) }.first).valueHandle
    }

    /// BlueZ's view of our host, once BlueZ has found it.
    var client: Client { Client(bluez: bluez, path: bluez.path(of: ServerFixture.address)) }

    /// Makes BlueZ find our host and connect. Returns BlueZ's view of our host, and our end of the
    /// link.
    func connectClient() async throws -> (Client, Link) {
        _ = try await bluez.findServer()
        return (client, try await reconnect())
    }

    /// Makes BlueZ connect again to our host, which it knows. Returns our end of the link.
    @discardableResult
    func reconnect() async throws -> Link {
        try await client.connect()
        return try await application.link()
    }

    /// Makes BlueZ open a link that may end at once. Returns our end of the link. The result of
    /// BlueZ's call is ignored, because it varies between releases.
    func connectBriefly() async throws -> Link {
        _ = try? await bluez.call("connect", ["path": .string(client.path)])
        return try await application.next("a link") { event -> Link? in
            if case .connected(let link) = event { link } else { nil }
        }
    }

    /// Makes BlueZ send a request for which it has to pair first.
    ///
    /// BlueZ pairs, but may lose that request. If BlueZ repeats the request while the kernel is
    /// still raising the security of the socket, the socket fails with ENOTCONN. BlueZ reports this
    /// on D-Bus as the ATT error 0x0E, which our host never sent. In that case, this function
    /// repeats the request once the keys exist.
    func askPairing<Value>(_ ask: () async throws -> Value) async throws -> Value {
        let events = await host.securityEvents()
        do {
            return try await ask()
        } catch let refusal as Refusal where refusal.text.contains("0x0e") {
            try await Self.keys(in: events)
            return try await ask()
        }
    }

    /// Waits until our host has the keys of a new bond.
    static func keys(in events: AsyncStream<SecurityEvent>) async throws {
        try await within(Limits.step, "keys") {
            for await event in events {
                if case .bonded = event { return }
            }
            throw HostError.closed
        }
    }

    /// Ends the link from our side. BlueZ waits two seconds before it disconnects on request.
    func disconnect(_ link: Link) async throws {
        try await link.disconnect()
        try await application.disconnection(of: link)
        try await bluez.isAlone()
    }
}

/// The configuration and the services of our host.
struct ServerPlan: Sendable {
    var services = [ServerFixture.definition]
    var configuration = HostConfiguration()
    var behavior = Person.Behavior()

    /// Returns the default plan with a change.
    static func such(_ change: (inout ServerPlan) -> Void) -> ServerPlan {
        var plan = ServerPlan()
        change(&plan)
        return plan
    }
}

/// Starts a host with the served database, gives it to `body`, and shuts it down, as if its process
/// had ended.
func withServer<Value: Sendable>(
    near bluez: BlueZ,
    _ plan: ServerPlan = ServerPlan(),
    _ body: (ServingHostFixture) async throws -> Value
) async throws -> Value {
    let person = Person(plan.behavior)
    var configuration = plan.configuration
    configuration.name = ServerFixture.name
    configuration.address = configuration.address ?? ServerFixture.address
    configuration.pairingDelegate = person
    let recorder = RequestRecorder()
    let host = try await bluez.makeHost(configuration, wrapping: recorder.listen(to:))
    do {
        let value = try await body(
            try await openServer(
                plan,
                on: host,
                person: person,
                recorder: recorder,
                near: bluez
            )
        )
        await host.shutdown()
        return value
    } catch {
        await host.shutdown()
        throw error
    }
}

private func openServer(
    _ plan: ServerPlan,
    on host: BluetoothHost,
    person: Person,
    recorder: RequestRecorder,
    near bluez: BlueZ
) async throws -> ServingHostFixture {
    var services: [GATT.DiscoveredService] = []
    for service in plan.services { services.append(try await host.publish(service)) }
    let dynamic = services.lazy.compactMap { $0.characteristic(ServerFixture.dynamic) }.first?
        .valueHandle
    let application = try await ServerApplication(of: host, dynamic: dynamic)
    var advertising = Advertising(AdvertisingContent(localName: ServerFixture.name))
    advertising.interval = .milliseconds(30) ... .milliseconds(40)
    let set = try await host.advertise(advertising)
    return ServingHostFixture(
        bluez: bluez,
        host: host,
        recorder: recorder,
        services: services,
        application: application,
        person: person,
        advertising: set
    )
}

/// Runs a scenario in which BlueZ connects to our host.
func withServingHost(
    _ setting: Setting,
    _ scenario: String,
    _ plan: ServerPlan = ServerPlan(),
    _ body: @escaping @Sendable (ServingHostFixture) async throws -> Void
) async throws {
    try await withBlueZ(setting, as: .central, scenario) { bluez in
        try await bluez.powerOn()
        try await withServer(near: bluez, plan, body)
    }
}
