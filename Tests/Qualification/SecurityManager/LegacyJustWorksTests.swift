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
        var stage = try SecurityStage(isCentral: isCentral, .plain(isLegacy: true))
        try stage.exchangeFeatures(.tester(capability, requirements))
        try stage.confirmLegacy(noSecret)
        stage.encrypt(with: stage.tester.shortTermKey(noSecret))
        let keys = try stage.paired()
        #expect(keys.method == .justWorks && !keys.usesSecureConnections && !keys.isBonded)
        stage.expectSilence()
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
        var stage = try SecurityStage(isCentral: true, policy)
        stage.application(pairsBy: policy)
        _ = try stage.weSend(.pairingRequest)
        stage.tester(sends: .failed(.authenticationRequirements))
        stage.application(hears: .failed(.refusedByPeer(.authenticationRequirements)))
        stage.expectSilence()
    }

    @Test("SM/CEN/JW/BI-01-C: Just Works, IUT Initiator - Failure")
    func wrongConfirmOfResponder() throws {
        var stage = try SecurityStage(isCentral: true, .plain(isLegacy: true))
        try stage.exchangeFeatures(.tester(.noInputNoOutput, []))
        _ = try stage.hearConfirm()
        stage.tester(sends: .pairingConfirm(stage.tester.nonce))
        try stage.hearNonce()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }

    @Test("SM/PER/JW/BI-02-C: Just Works, IUT Responder - Failure")
    func wrongConfirmOfInitiator() throws {
        var stage = try SecurityStage(isCentral: false, .plain(isLegacy: true))
        try stage.exchangeFeatures(.tester(.noInputNoOutput, []))
        stage.tester(sends: .pairingConfirm(stage.tester.nonce))
        _ = try stage.hearConfirm()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }

    @Test(
        "SM/CEN/JW/BI-06-C: Just Works IUT Initiator - Abort when the confirm values are the same"
    )
    func reflected() throws {
        var stage = try SecurityStage(isCentral: true, .plain(isLegacy: true))
        try stage.exchangeFeatures(.tester(.noInputNoOutput, []))
        let confirm = try stage.hearConfirm()
        stage.tester(sends: .pairingConfirm(confirm))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }
}
