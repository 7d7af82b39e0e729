// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// Our host as central, which pairs with a companion repeatedly. The companion has another address
/// each time.
struct PairingCentral: Sendable {
    let host: BluetoothHost
    let person: Person
    let companion: Companion

    func pair(_ pairing: PairingCase, with address: DeviceAddress) async throws -> PairingReport {
        person.behave(pairing.behavior(telling: companion))
        try await companion.setAddress(address)
        try await companion.prepare(pairing.plan)
        try await companion.advertise()
        let link = try await host.connectQuickly(to: address)
        companion.awaitPairing()
        let result = await outcome { try await link.pair(pairing.policy) }
        let isReadable = result.isSuccess ? try await readsSecret(over: link) : false
        try? await link.disconnect()
        let report = PairingReport(
            result: result,
            outcome: try await companion.outcome(),
            experiences: person.experiences,
            isReadable: isReadable
        )
        try await companion.awaitEnd()
        try await companion.forget()
        await host.forgetAll()
        return report
    }

    private func readsSecret(over link: Link) async throws -> Bool {
        let handle = try await link.handle(Companion.secret)
        return try await link.read(handle) == Companion.secretValue
    }
}

/// Our host as peripheral with a value that requires encryption.
struct PairingPeripheral: Sendable {
    static let address = DeviceAddress(value: 0xF1A0_0000_0001, kind: .random)

    static let service = GATT.ServiceDefinition(
        Demo.uuid(0x20),
        [
            .init(
                Companion.secret,
                [.read, .write],
                permissions: GATT.Permissions(read: .encrypted, write: .encrypted),
                value: .stored(Companion.secretValue)
            )
        ]
    )

    let host: BluetoothHost
    let recorder: ClientRecorder
    let secret: AttributeHandle
    let person: Person
    let companion: Companion

    /// Publishes the value and lets centrals connect.
    init(_ host: BluetoothHost, person: Person, companion: Companion) async throws {
        self.host = host
        self.person = person
        self.companion = companion
        let service = try await host.publish(Self.service)
        secret = try #require(service.characteristic(Companion.secret)).valueHandle
        recorder = try await ClientRecorder(of: host)
        var advertising = Advertising(AdvertisingContent(localName: "Server"))
        advertising.interval = .milliseconds(20) ... .milliseconds(30)
        _ = try await host.advertise(advertising)
    }

    func pair(_ pairing: PairingCase, with address: DeviceAddress) async throws -> PairingReport {
        person.behave(pairing.behavior(telling: companion))
        try await companion.setAddress(address)
        try await companion.prepare(pairing.plan)
        try await companion.connect(to: Self.address)
        let link = try await recorder.link()
        let theirs = try await companion.pair()
        let isReadable = theirs.facts != nil ? try await readsSecret() : false
        let result = await outcome { try await security(of: link, theirs) }
        try? await companion.disconnect()
        let report = PairingReport(
            result: result,
            outcome: theirs,
            experiences: person.experiences,
            isReadable: isReadable
        )
        try await companion.forget()
        await host.forgetAll()
        return report
    }

    /// Returns the security of the link. Throws our host's reason for a refusal if the peer
    /// received one.
    private func security(of link: Link, _ theirs: Companion.Outcome) async throws -> LinkSecurity {
        if case .failed(let reason, byPeer: true) = theirs { throw Pairing.Failure.refused(reason) }
        return try await link.security
    }

    private func readsSecret() async throws -> Bool {
        try await companion.client.read(secret) == Companion.secretValue
    }
}

/// Returns the result of `body`, within the time limit of a step.
func outcome<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    do {
        return .success(try await within(PeerHarness.limit, "an outcome", body))
    } catch {
        return .failure(error)
    }
}

extension Result {
    var isSuccess: Bool { if case .success = self { true } else { false } }
}
