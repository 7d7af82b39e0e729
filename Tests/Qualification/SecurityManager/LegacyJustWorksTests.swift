// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/JW: Just Works in legacy pairing.
@Suite struct LegacyJustWorksTests {
    private let noSecret = HCI.Key128(passkey: 0)

    private func succeed(
        isCentral: Bool,
        _ requirements: SMP.AuthenticationRequirements = [],
        _ capability: Pairing.IOCapability = .keyboardDisplay
    ) throws {
        var fixture = try SecurityFixture(isCentral: isCentral, .plain(isLegacy: true))
        try fixture.exchangeFeatures(.tester(capability, requirements))
        try fixture.confirmLegacy(noSecret)
        fixture.encrypt(with: fixture.tester.shortTermKey(noSecret))
        let keys = try fixture.paired()
        #expect(keys.method == .justWorks && !keys.usesSecureConnections && !keys.isBonded)
        fixture.expectSilence()
    }

    @Test(
        "SM/CEN/JW/BV-01-C: Just Works IUT Initiator - Success",
        arguments: Pairing.IOCapability.allCases
    )
    func initiator(capability: Pairing.IOCapability) throws {
        try succeed(isCentral: true, [], capability)
    }

    @Test(
        "SM/PER/JW/BV-02-C: Just Works IUT Responder - Success",
        arguments: Pairing.IOCapability.allCases
    )
    func responder(capability: Pairing.IOCapability) throws {
        try succeed(isCentral: false, [], capability)
    }

    @Test("SM/PER/JW/BI-03-C: Just Works IUT Responder - Handle AuthReq flag RFU correctly")
    func reservedBitsOfInitiator() throws {
        try succeed(isCentral: false, .reserved)
    }

    @Test("SM/CEN/JW/BI-04-C: Just Works IUT Initiator - Handle AuthReq flag RFU correctly")
    func reservedBitsOfResponder() throws {
        try succeed(isCentral: true, .reserved)
    }

    @Test("SM/CEN/JW/BV-05-C: Just Works, IUT Initiator - Pairing Failed")
    func refused() throws {
        var policy = Pairing.Policy.plain(.keyboardDisplay, isLegacy: true)
        policy.requiresAuthentication = true
        var fixture = try SecurityFixture(isCentral: true, policy)
        fixture.application(pairsBy: policy)
        _ = try fixture.weSend(.pairingRequest)
        fixture.tester(sends: .failed(.authenticationRequirements))
        fixture.application(receives: .failed(.refusedByPeer(.authenticationRequirements)))
        fixture.expectSilence()
    }

    @Test("SM/CEN/JW/BI-01-C: Just Works, IUT Initiator - Failure")
    func wrongConfirmOfResponder() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain(isLegacy: true))
        try fixture.exchangeFeatures(.tester(.noInputNoOutput, []))
        _ = try fixture.receiveConfirm()
        fixture.tester(sends: .pairingConfirm(fixture.tester.nonce))
        try fixture.receiveNonce()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test("SM/PER/JW/BI-02-C: Just Works, IUT Responder - Failure")
    func wrongConfirmOfInitiator() throws {
        var fixture = try SecurityFixture(isCentral: false, .plain(isLegacy: true))
        try fixture.exchangeFeatures(.tester(.noInputNoOutput, []))
        fixture.tester(sends: .pairingConfirm(fixture.tester.nonce))
        _ = try fixture.receiveConfirm()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test(
        "SM/CEN/JW/BI-06-C: Just Works IUT Initiator - Abort when the confirm values are the same"
    )
    func reflected() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain(isLegacy: true))
        try fixture.exchangeFeatures(.tester(.noInputNoOutput, []))
        let confirm = try fixture.receiveConfirm()
        fixture.tester(sends: .pairingConfirm(confirm))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }
}
