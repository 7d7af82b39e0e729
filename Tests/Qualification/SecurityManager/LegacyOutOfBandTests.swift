// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/OOB: Out of Band in legacy pairing.
@Suite struct LegacyOutOfBandTests {
    private let bytes = [UInt8](0x30..<0x40)

    private func policy(hasData: Bool) throws -> Pairing.Policy {
        var policy = Pairing.Policy.plain(isLegacy: true)
        if hasData { policy.peerOutOfBandData = try Pairing.OutOfBandData(temporaryKey: bytes) }
        return policy
    }

    /// Pairs, and expects the method that follows from the data of both sides.
    private func succeed(isCentral: Bool, weHave: Bool, testerHas: Bool) throws {
        var fixture = try SecurityFixture(isCentral: isCentral, try policy(hasData: weHave))
        let isOutOfBand = weHave && testerHas
        try fixture.exchangeFeatures(
            .tester(.noInputNoOutput, [], hasOutOfBandData: testerHas),
            consents: !isOutOfBand
        )
        let key = isOutOfBand ? try #require(HCI.Key128(bytes)) : HCI.Key128(passkey: 0)
        try fixture.confirmLegacy(key)
        fixture.encrypt(with: fixture.tester.shortTermKey(key))
        #expect(try fixture.paired().method == (isOutOfBand ? .outOfBand : .justWorks))
        fixture.expectSilence()
    }

    @Test("SM/CEN/OOB/BV-01-C: IUT Initiator - Both sides have OOB data - Success")
    func initiator() throws { try succeed(isCentral: true, weHave: true, testerHas: true) }

    @Test("SM/PER/OOB/BV-02-C: IUT Responder - Both sides have OOB data - Success")
    func responder() throws { try succeed(isCentral: false, weHave: true, testerHas: true) }

    /// Returns the random numbers that our side sends in five pairings.
    private func numbers(isCentral: Bool) throws -> Set<[UInt8]> {
        var numbers: Set<[UInt8]> = []
        var fixture = try SecurityFixture(isCentral: isCentral, try policy(hasData: true))
        let key = try #require(HCI.Key128(bytes))
        for _ in 0..<5 {
            try fixture.exchangeFeatures(
                .tester(.noInputNoOutput, [], hasOutOfBandData: true),
                consents: false
            )
            try fixture.confirmLegacy(key)
            numbers.insert(fixture.tester.ourNonce.bytes)
            fixture.encrypt(with: fixture.tester.shortTermKey(key))
            #expect(try fixture.paired().method == .outOfBand)
        }
        return numbers
    }

    @Test("SM/CEN/OOB/BV-10-C: IUT Initiator - Both sides have OOB data - Unique random numbers")
    func freshNumbersOfInitiator() throws { #expect(try numbers(isCentral: true).count == 5) }

    @Test("SM/PER/OOB/BV-11-C: IUT Responder - Both sides have OOB data - Unique random numbers")
    func freshNumbersOfResponder() throws { #expect(try numbers(isCentral: false).count == 5) }

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
        var fixture = try SecurityFixture(isCentral: true, try policy(hasData: true))
        try fixture.exchangeFeatures(.tester(.noInputNoOutput, [], hasOutOfBandData: true))
        _ = try fixture.receiveConfirm()
        let other = HCI.Key128(passkey: 1)
        fixture.tester(
            sends: .pairingConfirm(try fixture.tester.confirm(of: fixture.tester.nonce, other))
        )
        try fixture.receiveNonce()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test("SM/PER/OOB/BI-02-C: IUT Responder - Both sides have different OOB data - Failure")
    func differentInInitiator() throws {
        var fixture = try SecurityFixture(isCentral: false, try policy(hasData: true))
        try fixture.exchangeFeatures(
            .tester(.noInputNoOutput, [], hasOutOfBandData: true),
            consents: false
        )
        let other = HCI.Key128(passkey: 1)
        fixture.tester(
            sends: .pairingConfirm(try fixture.tester.confirm(of: fixture.tester.nonce, other))
        )
        _ = try fixture.receiveConfirm()
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }
}
