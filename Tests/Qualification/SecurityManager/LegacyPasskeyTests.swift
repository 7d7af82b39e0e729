// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/PKE: Passkey Entry in legacy pairing.
@Suite struct LegacyPasskeyTests {
    private let passkey: UInt32 = 654_321

    /// Returns a pairing in which our side enters the passkey that the tester displays.
    private func entering(isCentral: Bool) throws -> SecurityFixture {
        var fixture = try SecurityFixture(
            isCentral: isCentral,
            .plain(.keyboardOnly, isLegacy: true)
        )
        try fixture.exchangeFeatures(.tester(.displayOnly, .protection), consents: false)
        fixture.application(receives: .ask(.enterPasskey))
        return fixture
    }

    private func succeed(isCentral: Bool) throws {
        var fixture = try entering(isCentral: isCentral)
        fixture.application(answers: .passkey(passkey))
        let key = HCI.Key128(passkey: passkey)
        try fixture.confirmLegacy(key)
        fixture.encrypt(with: fixture.tester.shortTermKey(key))
        #expect(try fixture.paired().method == .passkeyEntry)
        fixture.expectSilence()
    }

    @Test("SM/CEN/PKE/BV-01-C: Passkey Entry, IUT Initiator - Success")
    func initiator() throws { try succeed(isCentral: true) }

    @Test("SM/PER/PKE/BV-02-C: Passkey Entry, IUT Responder - Success")
    func responder() throws { try succeed(isCentral: false) }

    @Test("SM/CEN/PKE/BV-04-C: Passkey Entry, IUT Initiator - results in Unauthenticated Success")
    func unauthenticated() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain(.keyboardOnly, isLegacy: true))
        try fixture.exchangeFeatures(.tester(.noInputNoOutput, []))
        let key = HCI.Key128(passkey: 0)
        try fixture.confirmLegacy(key)
        fixture.encrypt(with: fixture.tester.shortTermKey(key))
        #expect(try !fixture.paired().method.isAuthenticated)
        fixture.expectSilence()
    }

    @Test(
        "SM/PER/PKE/BV-05-C: Passkey Entry, IUT Responder - Lower Tester has insufficient security"
    )
    func insufficient() throws {
        var policy = Pairing.Policy.plain(.keyboardDisplay, isLegacy: true)
        policy.requiresAuthentication = true
        var fixture = try SecurityFixture(isCentral: false, policy)
        fixture.tester(sends: .pairingRequest(.tester(.noInputNoOutput, [])))
        fixture.weRefuse(.authenticationRequirements)
        fixture.expectSilence()
    }

    @Test("SM/CEN/PKE/BI-01-C: Passkey Entry, IUT Initiator - Failure on Responder Side")
    func wrongConfirmOfResponder() throws {
        var fixture = try entering(isCentral: true)
        fixture.application(answers: .passkey(passkey))
        _ = try fixture.receiveConfirm()
        let other = HCI.Key128(passkey: passkey - 1)
        let confirm = try fixture.tester.confirm(of: fixture.tester.nonce, other)
        fixture.tester(sends: .pairingConfirm(confirm))
        try fixture.receiveNonce()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test(
        "SM/CEN/PKE/BI-02-C: Passkey Entry, IUT Initiator - Interrupted passkey entry by Responder Side"
    )
    func interrupted() throws {
        var fixture = try entering(isCentral: true)
        fixture.tester(sends: .failed(.passkeyEntryFailed))
        fixture.application(receives: .withdrawQuestion)
        fixture.application(receives: .failed(.refusedByPeer(.passkeyEntryFailed)))
        fixture.application(answers: .passkey(passkey))
        fixture.expectSilence()
    }

    @Test("SM/PER/PKE/BI-03-C: Passkey Entry, IUT Responder - Failure on Initiator Side")
    func wrongConfirmOfInitiator() throws {
        var fixture = try entering(isCentral: false)
        let other = HCI.Key128(passkey: passkey + 1)
        let confirm = try fixture.tester.confirm(of: fixture.tester.nonce, other)
        fixture.tester(sends: .pairingConfirm(confirm))
        fixture.expectSilence()
        fixture.application(answers: .passkey(passkey))
        _ = try fixture.receiveConfirm()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test("SM/CEN/PKE/BV-05-C: Passkey Entry, IUT Initiator - Verify Random Passkeys")
    func random() throws {
        var passkeys: Set<UInt32> = []
        for seed in 0..<20 as Range<UInt64> {
            var fixture = try SecurityFixture(
                isCentral: true,
                .plain(.displayOnly, isLegacy: true),
                seed: seed
            )
            try fixture.exchangeFeatures(.tester(.keyboardOnly, .protection))
            guard case .ask(.display(let number)) = try fixture.nextApplicationEvent() else {
                return
            }
            #expect(number < 1_000_000)
            passkeys.insert(number)
        }
        #expect(passkeys.count == 20)
    }

    @Test(
        "SM/CEN/PKE/BI-03-C: Passkey Entry, IUT Initiator - Abort when the confirm values are the same"
    )
    func reflected() throws {
        var fixture = try entering(isCentral: true)
        fixture.application(answers: .passkey(passkey))
        let confirm = try fixture.receiveConfirm()
        fixture.tester(sends: .pairingConfirm(confirm))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }
}
