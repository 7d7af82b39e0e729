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

    /// Returns a fixture before the first round of Passkey Entry. Both sides know the passkey.
    private func began(
        isCentral: Bool,
        _ requirements: SMP.AuthenticationRequirements = [.protection, .secureConnections],
        seed: UInt64 = 1
    ) throws -> (fixture: SecurityFixture, passkey: UInt32) {
        var fixture = try SecurityFixture(isCentral: isCentral, .plain(.displayOnly), seed: seed)
        try fixture.exchangeFeatures(.tester(.keyboardOnly, requirements), consents: false)
        try fixture.exchangePublicKeys()
        guard case .ask(.display(let passkey)) = try fixture.nextApplicationEvent() else {
            throw SecurityFixture.Unpaired()
        }
        return (fixture, passkey)
    }

    private func succeed(
        isCentral: Bool,
        _ requirements: SMP.AuthenticationRequirements = [.protection, .secureConnections],
        seed: UInt64 = 1
    ) throws -> UInt32 {
        var (fixture, passkey) = try began(isCentral: isCentral, requirements, seed: seed)
        for round in 0..<20 { try fixture.playRound(round, passkey: passkey) }
        fixture.application(receives: .withdrawQuestion)
        let secret = SMP.Value128(passkey: passkey)
        try fixture.exchangeChecks(testerSecret: secret, ourSecret: secret)
        fixture.encrypt(with: try fixture.tester.keys().longTermKey)
        #expect(try fixture.paired().method == .passkeyDisplay)
        fixture.expectSilence()
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
        var fixture = try SecurityFixture(isCentral: true, .plain(.displayOnly))
        fixture.application(pairsBy: fixture.policy)
        _ = try fixture.weSend(.pairingRequest)
        fixture.tester(sends: .failed(reason))
        fixture.application(receives: .failed(.refusedByPeer(reason)))
        fixture.expectSilence()
    }

    @Test(
        "SM/CEN/SCPK/BI-01-C, SM/PER/SCPK/BI-04-C: Pairing Failed in Phase 2",
        arguments: [true, false]
    )
    func refusedLater(isCentral: Bool) throws {
        var (fixture, _) = try began(isCentral: isCentral)
        if isCentral { _ = try fixture.receiveConfirm() }
        fixture.tester(sends: .failed(.passkeyEntryFailed))
        fixture.application(receives: .withdrawQuestion)
        fixture.application(receives: .failed(.refusedByPeer(.passkeyEntryFailed)))
        fixture.expectSilence()
    }

    @Test("SM/PER/SCPK/BI-04-C: Passkey Entry, IUT Responder - Pairing Failed", arguments: reasons)
    func refusedAfterResponse(_ reason: Pairing.FailureReason) throws {
        var fixture = try SecurityFixture(isCentral: false, .plain(.displayOnly))
        try fixture.exchangeFeatures(
            .tester(.keyboardOnly, [.protection, .secureConnections]),
            consents: false
        )
        fixture.tester(sends: .failed(reason))
        fixture.application(receives: .failed(.refusedByPeer(reason)))
        fixture.expectSilence()
    }

    @Test("SM/CEN/SCPK/BI-02-C: Passkey Entry, IUT Initiator - Failure", arguments: 0..<20)
    func wrongConfirmOfResponder(round: Int) throws {
        var (fixture, passkey) = try began(isCentral: true)
        for earlier in 0..<round { try fixture.playRound(earlier, passkey: passkey) }
        let z = 0x80 | UInt8(passkey >> UInt32(round) & 1)
        _ = try fixture.receiveConfirm()
        fixture.tester(sends: .pairingConfirm(try fixture.tester.confirm(z ^ 1)))
        try fixture.receiveNonce()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.application(receives: .withdrawQuestion)
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test("SM/PER/SCPK/BI-03-C: IUT Responder - Confirm Value Check Failure", arguments: 0..<20)
    func wrongConfirmOfInitiator(round: Int) throws {
        var (fixture, passkey) = try began(isCentral: false)
        for earlier in 0..<round { try fixture.playRound(earlier, passkey: passkey) }
        let z = 0x80 | UInt8(passkey >> UInt32(round) & 1)
        fixture.tester(sends: .pairingConfirm(try fixture.tester.confirm(z ^ 1)))
        _ = try fixture.receiveConfirm()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.application(receives: .withdrawQuestion)
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test("The side that displays a passkey gets keypresses if both sides support them")
    func keypresses() throws {
        var policy = Pairing.Policy.plain(.displayOnly)
        policy.usesKeypressNotifications = true
        var fixture = try SecurityFixture(isCentral: false, policy)
        try fixture.exchangeFeatures(
            .tester(.keyboardOnly, [.protection, .secureConnections, .keypress]),
            consents: false
        )
        try fixture.exchangePublicKeys()
        _ = try fixture.nextApplicationEvent()
        for keypress in Pairing.Keypress.allCases {
            fixture.tester(sends: .keypress(keypress))
            fixture.application(receives: .pressed(keypress))
        }
        fixture.expectSilence()
    }
}
