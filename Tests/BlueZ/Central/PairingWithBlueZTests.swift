// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

/// BlueZ pairs with our host by every association model except out-of-band (Vol 3, Part H,
/// 2.3.5.1), with LE Secure Connections and with legacy pairing.
@Suite(.machines) struct PairingWithBlueZTests {
    @Test(
        "BlueZ and the host reach the expected security by each association model",
        arguments: PairingVariant.occasions
    )
    func associationModels(_ setting: Setting, variant: PairingVariant) async throws {
        try await withBlueZ(setting, as: .central, variant.scenario) { bluez in
            try await bluez.powerOn(io: variant.theirs)
            try await withServer(near: bluez, variant.plan(telling: bluez)) { server in
                let (client, link) = try await server.connectClient()
                if variant.method == .passkeyEntryOnBoth {
                    try await bluez.answer(passkey: Int(PairingVariant.agreed))
                }
                try await client.pair()
                #expect(try await client.read(ServerFixture.secret) == ServerFixture.protectedValue)
                #expect(try await link.security == variant.security)
                #expect(await server.host.bonds.map(\.security) == [variant.security])
                #expect(try await client.properties["Paired"] == .boolean(true))
                try await variant.expectExperiences(of: server.person, beside: bluez)
            }
        }
    }

    @Test("A wrong passkey fails the pairing and leaves no bond", arguments: Setting.all)
    func wrongPasskey(_ setting: Setting) async throws {
        let variant = PairingVariant.by(.passkeyDisplay)
        try await withBlueZ(setting, as: .central, "wrong passkey") { bluez in
            try await bluez.powerOn(io: variant.theirs)
            try await expectFailure(variant.plan(), near: bluez) { server in
                _ = try await bluez.question("passkey")
                let shown = try #require(try await server.shownDigits())
                try await bluez.answer(passkey: Int((shown + 1) % 1_000_000))
            }
        }
    }

    @Test("A pairing that either user declines fails on both sides", arguments: Setting.all)
    func declined(_ setting: Setting) async throws {
        let variant = PairingVariant.by(.numericComparison)
        try await withBlueZ(setting, as: .central, "refused pairing") { bluez in
            try await bluez.powerOn(io: variant.theirs)
            var plan = variant.plan()
            plan.behavior.confirms = false
            try await expectFailure(plan, near: bluez) {
                try await variant.expectComparison(at: $0)
            }
            try await bluez.setAgent(accepts: false)
            try await expectFailure(variant.plan(), near: bluez) {
                try await variant.expectComparison(at: $0)
            }
        }
    }

    /// Expects that a pairing that BlueZ begins fails when the users act as `people` does, and that
    /// neither side has a bond afterward.
    private func expectFailure(
        _ plan: ServerPlan,
        near bluez: BlueZ,
        by people: @escaping @Sendable (ServingHostFixture) async throws -> Void
    ) async throws {
        try await withServer(near: bluez, plan) { server in
            let (client, link) = try await server.connectClient()
            async let done: Void = people(server)
            await #expect(throws: Refusal("org.bluez.Error.AuthenticationFailed")) {
                try await client.pair()
            }
            try await done
            #expect(await server.host.bonds.isEmpty)
            #expect(try await client.properties["Paired"] == .boolean(false))
            // BlueZ may have disconnected.
            try? await link.disconnect()
            try await server.application.disconnection(of: link)
            try await client.forget()
        }
    }
}

extension PairingVariant {
    /// Returns a plan in which BlueZ's user enters the number that our host displays, and our user
    /// enters the number that BlueZ displays.
    fileprivate func plan(telling bluez: BlueZ) -> ServerPlan {
        var plan = plan()
        plan.behavior.enters = Self.agreed
        plan.behavior.tells = { digits in Task { try await bluez.answer(passkey: Int(digits)) } }
        if method == .passkeyEntry {
            plan.behavior.looks = {
                let shown = try? await bluez.question("display")["passkey"].integer
                return shown.map { UInt32($0) }
            }
        }
        return plan
    }

    /// Returns a plan with the capabilities of our side.
    fileprivate func plan() -> ServerPlan {
        .such { plan in
            plan.services = [ServerFixture.protected]
            plan.configuration.pairing = policy
            plan.configuration.pairing.usesSecureConnections = generation == .secureConnections
        }
    }

    /// Expects that both users got the questions that `method` requires, and no others.
    fileprivate func expectExperiences(of person: Person, beside bluez: BlueZ) async throws {
        let experiences = person.experiences
        switch method {
        // BlueZ initiated the pairing, which is its consent. Our user has to consent.
        case .justWorks: #expect(experiences == [.consented])
        case .numericComparison:
            let compared = try await bluez.question("confirm")["passkey"].integer
            #expect(experiences == [.compared(UInt32(try #require(compared)))])
        case .passkeyDisplay:
            _ = try await bluez.question("passkey")
            #expect(experiences.count == 1)
            guard case .shown? = experiences.first else { throw Refusal("NothingShown") }
        case .passkeyEntry:
            #expect(experiences.count == 1)
            guard case .entered(.some)? = experiences.first else { throw Refusal("NoEntry") }
        case .passkeyEntryOnBoth:
            _ = try await bluez.question("passkey")
            #expect(experiences == [.entered(Self.agreed)])
        case .outOfBand: #expect(experiences == [])
        }
        #expect(person.methods == experiences.map { _ in method })
    }

    /// Waits until BlueZ's user is asked about a number, and expects that our user was asked about
    /// the same number.
    fileprivate func expectComparison(at server: ServingHostFixture) async throws {
        let compared = try await server.bluez.question("confirm")["passkey"].integer
        #expect(server.person.experiences == [.compared(UInt32(try #require(compared)))])
    }
}

extension ServingHostFixture {
    /// Returns the number that our host displays, which it does before BlueZ asks for it.
    fileprivate func shownDigits() async throws -> UInt32? {
        for experience in person.experiences {
            if case .shown(let digits) = experience { return digits }
        }
        return nil
    }
}
