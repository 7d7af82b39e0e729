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
        var fixture = try SecurityFixture(isCentral: isCentral, .plain(), seed: seed)
        try fixture.exchangeFeatures(.tester(.displayYesNo, requirements))
        try fixture.exchangePublicKeys()
        try fixture.exchangeNonces()
        try fixture.exchangeChecks()
        fixture.encrypt(with: try fixture.tester.keys().longTermKey)
        let keys = try fixture.paired()
        #expect(keys.method == .justWorks && keys.usesSecureConnections)
        fixture.expectSilence()
        return fixture.tester.ourNonce
    }

    private func compare(isCentral: Bool) throws {
        var fixture = try SecurityFixture(isCentral: isCentral, .plain(.displayYesNo))
        try fixture.exchangeFeatures(
            .tester(.displayYesNo, [.protection, .secureConnections]),
            consents: false
        )
        try fixture.exchangePublicKeys()
        try fixture.exchangeNonces()
        fixture.application(receives: .ask(.confirm(try fixture.tester.digits())))
        fixture.application(answers: .yes)
        try fixture.exchangeChecks()
        fixture.encrypt(with: try fixture.tester.keys().longTermKey)
        #expect(try fixture.paired().method == .numericComparison)
        fixture.expectSilence()
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
        var fixture = try SecurityFixture(isCentral: true, .plain())
        try fixture.exchangeFeatures(.tester())
        try fixture.exchangePublicKeys()
        fixture.tester(sends: .pairingConfirm(fixture.tester.nonce))
        try fixture.receiveNonce()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test("SM/PER/SCJW/BI-02-C: Just Works, IUT Responder - Confirm Check Failure")
    func refusedByInitiator() throws {
        var fixture = try SecurityFixture(isCentral: false, .plain())
        try fixture.exchangeFeatures(.tester())
        try fixture.exchangePublicKeys()
        try fixture.exchangeNonces()
        fixture.tester(sends: .failed(.confirmValueFailed))
        fixture.application(receives: .failed(.refusedByPeer(.confirmValueFailed)))
        fixture.expectSilence()
    }

    @Test("The check may arrive before our user has compared the numbers")
    func earlyCheck() throws {
        var fixture = try SecurityFixture(isCentral: false, .plain(.displayYesNo))
        try fixture.exchangeFeatures(
            .tester(.displayYesNo, [.protection, .secureConnections]),
            consents: false
        )
        try fixture.exchangePublicKeys()
        try fixture.exchangeNonces()
        fixture.application(receives: .ask(.confirm(try fixture.tester.digits())))
        let checks = try fixture.tester.checks()
        fixture.tester(sends: .dhKeyCheck(checks.tester))
        fixture.expectSilence()
        fixture.application(answers: .yes)
        fixture.we(send: .dhKeyCheck(checks.ours))
        fixture.encrypt(with: try fixture.tester.keys().longTermKey)
        _ = try fixture.paired()
        fixture.expectSilence()
    }
}
