// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/SCJW: Just Works and Numeric Comparison in LE Secure Connections.
@Suite struct SCJustWorksTests {
    private func succeed(
        isCentral: Bool,
        _ requirements: SMP.AuthenticationRequirements = .secureConnections,
        seed: UInt64 = 1
    ) throws -> SMP.Value128 {
        var stage = try SecurityStage(isCentral: isCentral, .plain(), seed: seed)
        try stage.exchangeFeatures(.tester(.displayYesNo, requirements))
        try stage.exchangePublicKeys()
        try stage.exchangeNonces()
        try stage.exchangeChecks()
        stage.encrypt(with: try stage.tester.keys().longTermKey)
        let keys = try stage.paired()
        #expect(keys.method == .justWorks && keys.usesSecureConnections)
        stage.expectSilence()
        return stage.tester.ourNonce
    }

    private func compare(isCentral: Bool) throws {
        var stage = try SecurityStage(isCentral: isCentral, .plain(.displayYesNo))
        try stage.exchangeFeatures(
            .tester(.displayYesNo, [.protection, .secureConnections]),
            consents: false
        )
        try stage.exchangePublicKeys()
        try stage.exchangeNonces()
        stage.application(hears: .ask(.confirm(try stage.tester.digits())))
        stage.application(answers: .yes)
        try stage.exchangeChecks()
        stage.encrypt(with: try stage.tester.keys().longTermKey)
        #expect(try stage.paired().method == .numericComparison)
        stage.expectSilence()
    }

    @Test("SM/CEN/SCJW/BV-01-C: Just Works, IUT Initiator, Secure Connections - Success")
    func initiator() throws {
        let nonces = try (1...3).map { try succeed(isCentral: true, seed: $0) }
        #expect(Set(nonces).count == 3)
        try compare(isCentral: true)
    }

    @Test("SM/PER/SCJW/BV-02-C: Just Works, IUT Responder, Secure Connections - Success")
    func responder() throws {
        let nonces = try (1...3).map { try succeed(isCentral: false, seed: $0) }
        #expect(Set(nonces).count == 3)
        try compare(isCentral: false)
    }

    @Test("SM/PER/SCJW/BV-03-C: IUT Responder - Handle AuthReq Flag RFU Correctly")
    func reservedBitsOfInitiator() throws {
        _ = try succeed(isCentral: false, [.secureConnections, .reserved])
    }

    @Test("SM/CEN/SCJW/BV-04-C: IUT Initiator - Handle AuthReq Flag RFU Correctly")
    func reservedBitsOfResponder() throws {
        _ = try succeed(isCentral: true, [.secureConnections, .reserved])
    }

    @Test(
        "SM/CEN/SCJW/BI-01-C: Just Works, IUT Initiator - Number does not match its confirmation"
    )
    func wrongConfirm() throws {
        var stage = try SecurityStage(isCentral: true, .plain())
        try stage.exchangeFeatures(.tester())
        try stage.exchangePublicKeys()
        stage.tester(sends: .pairingConfirm(stage.tester.nonce))
        try stage.hearNonce()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }

    @Test("SM/PER/SCJW/BI-02-C: Just Works, IUT Responder - Confirm Check Failure")
    func refusedByInitiator() throws {
        var stage = try SecurityStage(isCentral: false, .plain())
        try stage.exchangeFeatures(.tester())
        try stage.exchangePublicKeys()
        try stage.exchangeNonces()
        stage.tester(sends: .failed(.confirmValueFailed))
        stage.application(hears: .failed(.refusedByPeer(.confirmValueFailed)))
        stage.expectSilence()
    }

    @Test("The check may arrive before our user has compared the numbers")
    func earlyCheck() throws {
        var stage = try SecurityStage(isCentral: false, .plain(.displayYesNo))
        try stage.exchangeFeatures(
            .tester(.displayYesNo, [.protection, .secureConnections]),
            consents: false
        )
        try stage.exchangePublicKeys()
        try stage.exchangeNonces()
        stage.application(hears: .ask(.confirm(try stage.tester.digits())))
        let checks = try stage.tester.checks()
        stage.tester(sends: .dhKeyCheck(checks.tester))
        stage.expectSilence()
        stage.application(answers: .yes)
        stage.we(send: .dhKeyCheck(checks.ours))
        stage.encrypt(with: try stage.tester.keys().longTermKey)
        _ = try stage.paired()
        stage.expectSilence()
    }
}
