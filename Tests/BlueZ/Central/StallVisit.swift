// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

/// Our host with its stall open, and BlueZ not far.
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

    /// BlueZ, as it knows us once it has found us.
    var visitor: Visitor { Visitor(bluez: bluez, path: bluez.path(of: Stall.address)) }

    /// Has BlueZ look for our host and connect: how BlueZ sees us, and our end of the link.
    func arrive() async throws -> (Visitor, Link) {
        _ = try await bluez.findStall()
        return (visitor, try await comeBack())
    }

    /// Has BlueZ connect again to whom it knows already; our end of the link.
    @discardableResult
    func comeBack() async throws -> Link {
        try await visitor.connect()
        return try await keeper.link()
    }

    /// Has BlueZ make a link of which nothing may come; our end of it. Whether BlueZ calls that a
    /// success varies from one release to the next.
    func meetOnly() async throws -> Link {
        _ = try? await bluez.call("connect", ["path": .string(visitor.path)])
        return try await keeper.next("a link") { event -> Link? in
            if case .connected(let link) = event { link } else { nil }
        }
    }

    /// Has BlueZ ask for what it has to pair for first.
    ///
    /// BlueZ pairs, but may lose what it paired for: it repeats its request while the kernel still
    /// raises the security of the socket, which answers ENOTCONN then; on D-Bus that is an ATT error,
    /// 0x0e, that nobody sent. Then it is asked again when keys are there.
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

    /// Ends the link, from our side: when BlueZ is told to, it waits for two seconds first.
    func part(_ link: Link) async throws {
        try await link.disconnect()
        try await keeper.farewell(of: link)
        try await bluez.isAlone()
    }
}

/// How a stall is made.
struct StallPlan: Sendable {
    var services = [Stall.definition]
    var configuration = HostConfiguration()
    var manner = Person.Manner()

    /// Made by `change`.
    static func such(_ change: (inout StallPlan) -> Void) -> StallPlan {
        var plan = StallPlan()
        change(&plan)
        return plan
    }
}

/// Opens a stall, gives it to `body`, and closes it: our host is gone then, as if its process had
/// ended.
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

/// A scenario in which BlueZ visits a stall.
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
