// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import ProcessTestSupport
import Testing

/// A pairing that has to fail fails on both sides.
@Suite(.machines) struct AccessoryRefusedPairingTests {
    @Test(
        "A wrong passkey on either side fails the pairing",
        arguments: Setting.each(
            PairingVariant.by(.passkeyDisplay),
            orElse: .by(.passkeyEntry, .legacy)
        )
    )
    func wrongPasskeys(_ setting: Setting, variant: PairingVariant) async throws {
        try await withAccessory(setting, "wrong passkey", io: variant.theirs) { configuration in
            configuration.pairing = variant.policy
        } _: { fixture in
            try await fixture.bluez.offer(variant.generation)
            let link = try await fixture.connect()
            // The side that checks first reports the failure.
            let failures: [Pairing.Failure] = [
                .refused(.confirmValueFailed), .refusedByPeer(.confirmValueFailed),
            ]
            let failure = try await fixture.fail(on: link, PairingPeople(fixture, variant, slip: 1))
            #expect(failures.contains(failure), "\(failure)")
            try await fixture.expectNoBond(link)
        }
    }

    @Test("A pairing that our user declines fails", arguments: Setting.oldestAndLatest)
    func declinedHere(_ setting: Setting) async throws {
        let variant = PairingVariant.by(.numericComparison)
        try await withAccessory(setting, "refused pairing", io: variant.theirs) { configuration in
            configuration.pairing = variant.policy
        } _: { fixture in
            var behavior = Person.Behavior()
            behavior.confirms = false
            fixture.person.behave(behavior)
            let link = try await fixture.connect()
            await #expect(throws: Pairing.Failure.declined) { try await link.pair() }
            try await fixture.expectEnd(of: link)
        }
    }

    @Test("A pairing that BlueZ's user declines fails", arguments: Setting.crossed)
    func declinedThere(_ setting: Setting) async throws {
        let variant = PairingVariant.by(
            setting.generation == .four ? .justWorks : .numericComparison
        )
        try await withAccessory(setting, "refused pairing", io: variant.theirs) { configuration in
            configuration.pairing = variant.policy
        } _: { fixture in
            try await fixture.bluez.setAgent(accepts: false)
            let link = try await fixture.connect()
            let failure = try await fixture.fail(on: link, PairingPeople(fixture, variant))
            #expect(failure == .refusedByPeer(.numericComparisonFailed))
            try await fixture.expectNoBond(link)
        }
    }

    @Test("A pairing that BlueZ cannot make secure enough fails", arguments: Setting.latestOnly)
    func tooWeak(_ setting: Setting) async throws {
        try await withAccessory(setting, "refused pairing") { configuration in
            configuration.pairing.ioCapability = .keyboardDisplay
            configuration.pairing.requiresAuthentication = true
        } _: { fixture in
            let link = try await fixture.connect()
            await #expect(throws: Pairing.Failure.refused(.authenticationRequirements)) {
                try await link.pair()
            }
            try await fixture.expectEnd(of: link)
        }
    }

    @Test(
        "The host refuses a BlueZ without Secure Connections by default",
        arguments: Setting.latestOnly
    )
    func legacyPairing(_ setting: Setting) async throws {
        try await withAccessory(setting, "refused pairing") { fixture in
            try await fixture.bluez.offer(.legacy)
            let link = try await fixture.connect()
            await #expect(throws: Pairing.Failure.refused(.authenticationRequirements)) {
                try await link.pair()
            }
            try await fixture.expectEnd(of: link)
        }
    }

    @Test("The host reports that BlueZ does not bond", arguments: Setting.latestOnly)
    func notBondable(_ setting: Setting) async throws {
        try await withAccessory(setting, "refused pairing") { fixture in
            try await fixture.bluez.manage(.setBondable, [0])
            let link = try await fixture.connect()
            await #expect(throws: Pairing.Failure.refusedByPeer(.pairingNotSupported)) {
                try await link.pair()
            }
            try await fixture.expectNoBond(link)
        }
    }
}

extension AccessoryFixture {
    /// Runs a pairing that has to fail. Returns its failure.
    fileprivate func fail(on link: Link, _ people: PairingPeople) async throws -> Pairing.Failure {
        do {
            let security = try await people.pair(on: link)
            throw Refusal("Paired", text: "\(security)")
        } catch let failure as Pairing.Failure {
            return failure
        }
    }

    /// Expects that neither side keeps keys.
    private func expectNoKeys() async throws {
        #expect(await host.bonds == [])
        let path = bluez.path(of: await host.identityAddress)
        #expect(try await bluez.device(path)["Bonded"] != .boolean(true))
    }

    /// Expects that neither side keeps keys, and that the kernel ends the link, as it does after
    /// its peer has refused a pairing.
    fileprivate func expectEnd(of link: Link) async throws {
        let end = try await within(Limits.step, "the end of the link") { try await link.ended() }
        #expect(end == .disconnected(.authenticationFailure))
        try await expectNoKeys()
    }

    /// Expects that neither side keeps keys, and that the link still works without encryption.
    fileprivate func expectNoBond(_ link: Link) async throws {
        try await expectNoKeys()
        #expect(try await link.security == .none)
        let database = try await link.database()
        let label = try database.handle(BlueZTable.label)
        #expect(try await link.read(label) == BlueZTable.labelValue)
    }
}
