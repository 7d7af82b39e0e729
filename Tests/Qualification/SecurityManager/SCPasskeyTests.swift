// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/SCPK: Passkey Entry in LE Secure Connections.
@Suite struct SCPasskeyTests {
    /// The reasons with which the tester ends a pairing.
    static let reasons: [Pairing.FailureReason] = [
        .authenticationRequirements, .unspecified, .pairingNotSupported, .repeatedAttempts,
    ]

    /// Returns a stage before the first round, on which both sides know the passkey.
    private func began(
        isCentral: Bool,
        _ requirements: SMP.AuthenticationRequirements = [.protection, .secureConnections],
        seed: UInt64 = 1
    ) throws -> (stage: SecurityStage, passkey: UInt32) {
        var stage = try SecurityStage(isCentral: isCentral, .plain(.displayOnly), seed: seed)
        try stage.exchangeFeatures(.tester(.keyboardOnly, requirements), consents: false)
        try stage.exchangePublicKeys()
        guard case .ask(.display(let passkey)) = try stage.applicationHears() else {
            throw SecurityStage.Unpaired()
        }
        return (stage, passkey)
    }

    private func succeed(
        isCentral: Bool,
        _ requirements: SMP.AuthenticationRequirements = [.protection, .secureConnections],
        seed: UInt64 = 1
    ) throws -> UInt32 {
        var (stage, passkey) = try began(isCentral: isCentral, requirements, seed: seed)
        for round in 0..<20 { try stage.playRound(round, passkey: passkey) }
        stage.application(hears: .withdrawQuestion)
        let secret = SMP.Value128(passkey: passkey)
        try stage.exchangeChecks(secretOfTester: secret, secretOfOurs: secret)
        stage.encrypt(with: try stage.tester.keys().longTermKey)
        #expect(try stage.paired().method == .passkeyDisplay)
        stage.expectSilence()
        return passkey
    }

    @Test("SM/CEN/SCPK/BV-01-C: Passkey Entry, IUT Initiator, Secure Connections - Success")
    func initiator() throws { _ = try succeed(isCentral: true) }

    @Test("SM/PER/SCPK/BV-02-C: Passkey Entry, IUT Responder, Secure Connections - Success")
    func responder() throws { _ = try succeed(isCentral: false) }

    @Test("SM/PER/SCPK/BV-03-C: IUT Responder - Handle AuthReq Flag RFU Correctly")
    func reservedBitsOfInitiator() throws {
        _ = try succeed(isCentral: false, [.protection, .secureConnections, .reserved])
    }

    @Test("SM/CEN/SCPK/BV-04-C: IUT Initiator - Handle AuthReq Flag RFU Correctly")
    func reservedBitsOfResponder() throws {
        _ = try succeed(isCentral: true, [.protection, .secureConnections, .reserved])
    }

    @Test("SM/CEN/SCPK/BV-05-C: Passkey Entry, IUT Initiator - Verify Random Passkeys")
    func random() throws {
        let passkeys = try (1...3).map { try succeed(isCentral: true, seed: $0) }
        #expect(Set(passkeys).count == 3)
    }

    @Test("SM/CEN/SCPK/BI-01-C: Passkey Entry, IUT Initiator - Pairing Failed", arguments: reasons)
    func refusedAtOnce(_ reason: Pairing.FailureReason) throws {
        var stage = try SecurityStage(isCentral: true, .plain(.displayOnly))
        stage.application(pairsBy: stage.policy)
        _ = try stage.weSend(.pairingRequest)
        stage.tester(sends: .failed(reason))
        stage.application(hears: .failed(.refusedByPeer(reason)))
        stage.expectSilence()
    }

    @Test(
        "SM/CEN/SCPK/BI-01-C, SM/PER/SCPK/BI-04-C: Pairing Failed in Phase 2",
        arguments: [true, false]
    )
    func refusedLater(isCentral: Bool) throws {
        var (stage, _) = try began(isCentral: isCentral)
        if isCentral { _ = try stage.hearConfirm() }
        stage.tester(sends: .failed(.passkeyEntryFailed))
        stage.application(hears: .withdrawQuestion)
        stage.application(hears: .failed(.refusedByPeer(.passkeyEntryFailed)))
        stage.expectSilence()
    }

    @Test("SM/PER/SCPK/BI-04-C: Passkey Entry, IUT Responder - Pairing Failed", arguments: reasons)
    func refusedAfterResponse(_ reason: Pairing.FailureReason) throws {
        var stage = try SecurityStage(isCentral: false, .plain(.displayOnly))
        try stage.exchangeFeatures(
            .tester(.keyboardOnly, [.protection, .secureConnections]),
            consents: false
        )
        stage.tester(sends: .failed(reason))
        stage.application(hears: .failed(.refusedByPeer(reason)))
        stage.expectSilence()
    }

    @Test("SM/CEN/SCPK/BI-02-C: Passkey Entry, IUT Initiator - Failure", arguments: 0..<20)
    func wrongConfirmOfResponder(round: Int) throws {
        var (stage, passkey) = try began(isCentral: true)
        for earlier in 0..<round { try stage.playRound(earlier, passkey: passkey) }
        let z = 0x80 | UInt8(passkey >> UInt32(round) & 1)
        _ = try stage.hearConfirm()
        stage.tester(sends: .pairingConfirm(try stage.tester.confirm(z ^ 1)))
        try stage.hearNonce()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.application(hears: .withdrawQuestion)
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }

    @Test("SM/PER/SCPK/BI-03-C: IUT Responder - Confirm Value Check Failure", arguments: 0..<20)
    func wrongConfirmOfInitiator(round: Int) throws {
        var (stage, passkey) = try began(isCentral: false)
        for earlier in 0..<round { try stage.playRound(earlier, passkey: passkey) }
        let z = 0x80 | UInt8(passkey >> UInt32(round) & 1)
        stage.tester(sends: .pairingConfirm(try stage.tester.confirm(z ^ 1)))
        _ = try stage.hearConfirm()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.application(hears: .withdrawQuestion)
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }

    @Test("The side that displays a passkey gets keypresses if both sides support them")
    func keypresses() throws {
        var policy = Pairing.Policy.plain(.displayOnly)
        policy.usesKeypressNotifications = true
        var stage = try SecurityStage(isCentral: false, policy)
        try stage.exchangeFeatures(
            .tester(.keyboardOnly, [.protection, .secureConnections, .keypress]),
            consents: false
        )
        try stage.exchangePublicKeys()
        _ = try stage.applicationHears()
        for keypress in Pairing.Keypress.allCases {
            stage.tester(sends: .keypress(keypress))
            stage.application(hears: .pressed(keypress))
        }
        stage.expectSilence()
    }
}
