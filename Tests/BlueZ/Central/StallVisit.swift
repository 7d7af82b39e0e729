// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

/// Our host, serving and advertising, and BlueZ within its range.
struct StallVisit: Sendable {
    let bluez: BlueZ
    let host: BluetoothHost
    let recorder: RequestRecorder
    let services: [GATT.PublishedService]
    let keeper: StallKeeper
    let person: Person
    let advertising: AdvertisingSet

    /// The handle of the first value with this UUID.
    func handle(_ uuid: BluetoothUUID) throws -> AttributeHandle {
        try #require(services.lazy.compactMap { $0.characteristic(uuid) }.first).valueHandle
    }

    /// BlueZ's view of our host, once BlueZ has found it.
    var visitor: Visitor { Visitor(bluez: bluez, path: bluez.path(of: Stall.address)) }

    /// Has BlueZ find our host and connect. Returns BlueZ's view of our host, and our end of the
    /// link.
    func arrive() async throws -> (Visitor, Link) {
        _ = try await bluez.findStall()
        return (visitor, try await comeBack())
    }

    /// Has BlueZ connect again to our host, which it knows. Returns our end of the link.
    @discardableResult
    func comeBack() async throws -> Link {
        try await visitor.connect()
        return try await keeper.link()
    }

    /// Has BlueZ make a link that may end at once. Returns our end of it. Whether BlueZ reports
    /// that as a success varies between releases.
    func meetOnly() async throws -> Link {
        _ = try? await bluez.call("connect", ["path": .string(visitor.path)])
        return try await keeper.next("a link") { event -> Link? in
            if case .connected(let link) = event { link } else { nil }
        }
    }

    /// Has BlueZ send a request for which it has to pair first.
    ///
    /// BlueZ pairs, but may lose that request: it repeats the request while the kernel still raises
    /// the security of the socket, and the socket then answers ENOTCONN. On D-Bus that is an ATT
    /// error, 0x0e, that our host never sent. The request is then repeated once keys exist.
    func askPairing<Value>(_ ask: () async throws -> Value) async throws -> Value {
        let events = await host.securityEvents()
        do {
            return try await ask()
        } catch let refusal as Refusal where refusal.text.contains("0x0e") {
            try await Self.keys(in: events)
            return try await ask()
        }
    }

    /// Waits until both sides have keys.
    static func keys(in events: AsyncStream<SecurityEvent>) async throws {
        try await within(Limits.step, "keys") {
            for await event in events {
                if case .bonded = event { return }
            }
            throw HostError.closed
        }
    }

    /// Ends the link from our side. BlueZ waits two seconds before it disconnects on request.
    func part(_ link: Link) async throws {
        try await link.disconnect()
        try await keeper.farewell(of: link)
        try await bluez.isAlone()
    }
}

/// How our host is set up and what it serves.
struct StallPlan: Sendable {
    var services = [Stall.definition]
    var configuration = HostConfiguration()
    var manner = Person.Manner()

    /// The default plan with a change.
    static func such(_ change: (inout StallPlan) -> Void) -> StallPlan {
        var plan = StallPlan()
        change(&plan)
        return plan
    }
}

/// Starts a host with the served table, gives it to `body`, and shuts it down, as if its process
/// had ended.
func withStall<Value: Sendable>(
    near bluez: BlueZ,
    _ plan: StallPlan = StallPlan(),
    _ body: (StallVisit) async throws -> Value
) async throws -> Value {
    let person = Person(plan.manner)
    var configuration = plan.configuration
    configuration.name = Stall.name
    configuration.address = configuration.address ?? Stall.address
    configuration.pairingDelegate = person
    let recorder = RequestRecorder()
    let host = try await bluez.makeHost(configuration, wrapping: recorder.listen(to:))
    do {
        let value = try await body(
            try await openStall(
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

private func openStall(
    _ plan: StallPlan,
    on host: BluetoothHost,
    person: Person,
    recorder: RequestRecorder,
    near bluez: BlueZ
) async throws -> StallVisit {
    var services: [GATT.PublishedService] = []
    for service in plan.services { services.append(try await host.publish(service)) }
    let dynamic = services.lazy.compactMap { $0.characteristic(Stall.dynamic) }.first?.valueHandle
    let keeper = try await StallKeeper(of: host, dynamic: dynamic)
    var advertising = Advertising(AdvertisingContent(localName: Stall.name))
    advertising.interval = .milliseconds(30) ... .milliseconds(40)
    let set = try await host.advertise(advertising)
    return StallVisit(
        bluez: bluez,
        host: host,
        recorder: recorder,
        services: services,
        keeper: keeper,
        person: person,
        advertising: set
    )
}

/// A scenario in which BlueZ connects to our host.
func withVisit(
    _ setting: Setting,
    _ scenario: String,
    _ plan: StallPlan = StallPlan(),
    _ body: @escaping @Sendable (StallVisit) async throws -> Void
) async throws {
    try await withBlueZ(setting, as: .central, scenario) { bluez in
        try await bluez.powerOn()
        try await withStall(near: bluez, plan, body)
    }
}
