// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/PKE: Passkey Entry in legacy pairing.
@Suite struct LegacyPasskeyTests {
    private let passkey: UInt32 = 654_321

    /// Returns a pairing in which our side enters the passkey that the tester displays.
    private func entering(isCentral: Bool) throws -> SecurityStage {
        var stage = try SecurityStage(isCentral: isCentral, .plain(.keyboardOnly, isLegacy: true))
        try stage.exchangeFeatures(.tester(.displayOnly, .protection), consents: false)
        stage.application(hears: .ask(.enterPasskey))
        return stage
    }

    private func succeed(isCentral: Bool) throws {
        var stage = try entering(isCentral: isCentral)
        stage.application(answers: .passkey(passkey))
        let key = HCI.Key128(passkey: passkey)
        try stage.confirmLegacy(key)
        stage.encrypt(with: stage.tester.shortTermKey(key))
        #expect(try stage.paired().method == .passkeyEntry)
        stage.expectSilence()
    }

    @Test("SM/CEN/PKE/BV-01-C: Passkey Entry, IUT Initiator - Success")
    func initiator() throws { try succeed(isCentral: true) }

    @Test("SM/PER/PKE/BV-02-C: Passkey Entry, IUT Responder - Success")
    func responder() throws { try succeed(isCentral: false) }

    @Test("SM/CEN/PKE/BV-04-C: Passkey Entry, IUT Initiator - results in Unauthenticated Success")
    func unauthenticated() throws {
        var stage = try SecurityStage(isCentral: true, .plain(.keyboardOnly, isLegacy: true))
        try stage.exchangeFeatures(.tester(.noInputNoOutput, []))
        let key = HCI.Key128(passkey: 0)
        try stage.confirmLegacy(key)
        stage.encrypt(with: stage.tester.shortTermKey(key))
        #expect(try !stage.paired().method.isAuthenticated)
        stage.expectSilence()
    }

    @Test(
        "SM/PER/PKE/BV-05-C: Passkey Entry, IUT Responder - Lower Tester has insufficient security"
    )
    func insufficient() throws {
        var policy = Pairing.Policy.plain(.keyboardDisplay, isLegacy: true)
        policy.requiresAuthentication = true
        var stage = try SecurityStage(isCentral: false, policy)
        stage.tester(sends: .pairingRequest(.tester(.noInputNoOutput, [])))
        stage.weRefuse(.authenticationRequirements)
        stage.expectSilence()
    }

    @Test("SM/CEN/PKE/BI-01-C: Passkey Entry, IUT Initiator - Failure on Responder Side")
    func wrongConfirmOfResponder() throws {
        var stage = try entering(isCentral: true)
        stage.application(answers: .passkey(passkey))
        _ = try stage.hearConfirm()
        let other = HCI.Key128(passkey: passkey - 1)
        let confirm = try stage.tester.confirm(of: stage.tester.nonce, other)
        stage.tester(sends: .pairingConfirm(confirm))
        try stage.hearNonce()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }

    @Test(
        "SM/CEN/PKE/BI-02-C: Passkey Entry, IUT Initiator - Interrupted passkey entry by Responder Side"
    )
    func interrupted() throws {
        var stage = try entering(isCentral: true)
        stage.tester(sends: .failed(.passkeyEntryFailed))
        stage.application(hears: .withdrawQuestion)
        stage.application(hears: .failed(.refusedByPeer(.passkeyEntryFailed)))
        stage.application(answers: .passkey(passkey))
        stage.expectSilence()
    }

    @Test("SM/PER/PKE/BI-03-C: Passkey Entry, IUT Responder - Failure on Initiator Side")
    func wrongConfirmOfInitiator() throws {
        var stage = try entering(isCentral: false)
        let other = HCI.Key128(passkey: passkey + 1)
        let confirm = try stage.tester.confirm(of: stage.tester.nonce, other)
        stage.tester(sends: .pairingConfirm(confirm))
        stage.expectSilence()
        stage.application(answers: .passkey(passkey))
        _ = try stage.hearConfirm()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }

    @Test("SM/CEN/PKE/BV-05-C: Passkey Entry, IUT Initiator - Verify Random Passkeys")
    func random() throws {
        var passkeys: Set<UInt32> = []
        for seed in 0..<20 as Range<UInt64> {
            var stage = try SecurityStage(
                isCentral: true,
                .plain(.displayOnly, isLegacy: true),
                seed: seed
            )
            try stage.exchangeFeatures(.tester(.keyboardOnly, .protection))
            guard case .ask(.display(let number)) = try stage.applicationHears() else { return }
            #expect(number < 1_000_000)
            passkeys.insert(number)
        }
        #expect(passkeys.count == 20)
    }

    @Test(
        "SM/CEN/PKE/BI-03-C: Passkey Entry, IUT Initiator - Abort when the confirm values are the same"
    )
    func reflected() throws {
        var stage = try entering(isCentral: true)
        stage.application(answers: .passkey(passkey))
        let confirm = try stage.hearConfirm()
        stage.tester(sends: .pairingConfirm(confirm))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }
}
