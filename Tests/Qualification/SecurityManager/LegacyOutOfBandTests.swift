// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/OOB: Out of Band in legacy pairing.
@Suite struct LegacyOutOfBandTests {
    private let octets = [UInt8](0x30..<0x40)

    private func policy(hasData: Bool) throws -> Pairing.Policy {
        var policy = Pairing.Policy.plain(isLegacy: true)
        if hasData { policy.peerOutOfBandData = try Pairing.OutOfBandData(temporaryKey: octets) }
        return policy
    }

    /// Pairs, and expects the method that follows from the data of both sides.
    private func succeed(isCentral: Bool, weHave: Bool, testerHas: Bool) throws {
        var stage = try SecurityStage(isCentral: isCentral, try policy(hasData: weHave))
        let isOutOfBand = weHave && testerHas
        try stage.exchangeFeatures(
            .tester(.noInputNoOutput, [], hasOutOfBandData: testerHas),
            consents: !isOutOfBand
        )
        let key = isOutOfBand ? try #require(HCI.Key128(octets)) : HCI.Key128(passkey: 0)
        try stage.confirmLegacy(key)
        stage.encrypt(with: stage.tester.shortTermKey(key))
        #expect(try stage.paired().method == (isOutOfBand ? .outOfBand : .justWorks))
        stage.expectSilence()
    }

    @Test("SM/CEN/OOB/BV-01-C: IUT Initiator - Both sides have OOB data - Success")
    func initiator() throws { try succeed(isCentral: true, weHave: true, testerHas: true) }

    @Test("SM/PER/OOB/BV-02-C: IUT Responder - Both sides have OOB data - Success")
    func responder() throws { try succeed(isCentral: false, weHave: true, testerHas: true) }

    @Test("SM/CEN/OOB/BV-03-C, BV-09-C: IUT Initiator - Only IUT has OOB data")
    func initiatorOnly() throws { try succeed(isCentral: true, weHave: true, testerHas: false) }

    @Test("SM/PER/OOB/BV-04-C, BV-10-C: IUT Responder - Only IUT has OOB data")
    func responderOnly() throws { try succeed(isCentral: false, weHave: true, testerHas: false) }

    @Test("SM/CEN/OOB/BV-05-C, BV-07-C: IUT Initiator - Only Lower Tester has OOB data")
    func testerOnly() throws { try succeed(isCentral: true, weHave: false, testerHas: true) }

    @Test("SM/PER/OOB/BV-06-C, BV-08-C: IUT Responder - Only Lower Tester has OOB data")
    func testerOnlyAsInitiator() throws {
        try succeed(isCentral: false, weHave: false, testerHas: true)
    }

    @Test("SM/CEN/OOB/BI-01-C: IUT Initiator - Both sides have different OOB data - Failure")
    func differentInResponder() throws {
        var stage = try SecurityStage(isCentral: true, try policy(hasData: true))
        try stage.exchangeFeatures(.tester(.noInputNoOutput, [], hasOutOfBandData: true))
        _ = try stage.hearConfirm()
        let other = HCI.Key128(passkey: 1)
        stage.tester(
            sends: .pairingConfirm(try stage.tester.confirm(of: stage.tester.nonce, other))
        )
        try stage.hearNonce()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }

    @Test("SM/PER/OOB/BI-02-C: IUT Responder - Both sides have different OOB data - Failure")
    func differentInInitiator() throws {
        var stage = try SecurityStage(isCentral: false, try policy(hasData: true))
        try stage.exchangeFeatures(
            .tester(.noInputNoOutput, [], hasOutOfBandData: true),
            consents: false
        )
        let other = HCI.Key128(passkey: 1)
        stage.tester(
            sends: .pairingConfirm(try stage.tester.confirm(of: stage.tester.nonce, other))
        )
        _ = try stage.hearConfirm()
        stage.tester(sends: .pairingRandom(stage.tester.nonce))
        stage.weRefuse(.confirmValueFailed)
        stage.expectSilence()
    }
}
