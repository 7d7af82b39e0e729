// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

/// SM/SCOB: Out of Band in LE Secure Connections.
@Suite struct SCOutOfBandTests {
    /// The sides that have the out-of-band data of the other side.
    enum Received: CaseIterable {
        case both, onlyWe, onlyTester

        var byUs: Bool { self != .onlyTester }
        var byTester: Bool { self != .onlyWe }
    }

    /// The out-of-band random numbers of both sides.
    private struct Tags {
        let testers: SMP.Value128
        let ours: SMP.Value128
    }

    private func began(
        isCentral: Bool,
        _ received: Received = .both,
        _ requirements: SMP.AuthenticationRequirements = .secureConnections,
        isWrong: Bool = false
    ) throws -> (SecurityFixture, Tags) {
        var fixture = try SecurityFixture(isCentral: isCentral, .plain())
        var generator = SplitMix64(seed: 0x0B)
        let local = try #require(Pairing.LocalOutOfBandData.make(using: &generator))
        let random = SMP.Value128(using: &generator)
        let x = fixture.tester.pair.publicKey.x
        var confirmation = SMP.Toolbox.f4(x, x, random, 0).bytes
        if isWrong { confirmation[3] ^= 0x20 }
        if received.byTester { fixture.policy.localOutOfBandData = local }
        if received.byUs {
            fixture.policy.peerOutOfBandData = try Pairing.OutOfBandData(
                confirmation: confirmation,
                random: random.bytes
            )
        }
        fixture.we.policyForPeer = fixture.policy
        try fixture.exchangeFeatures(
            .tester(.noInputNoOutput, requirements, hasOutOfBandData: received.byTester),
            consents: false
        )
        let features = isCentral ? fixture.tester.request : fixture.tester.response
        #expect(features?.hasOutOfBandData == received.byUs)
        let zero = SMP.Value128()
        let ours = try #require(SMP.Value128(local.data.random ?? []))
        let tags = Tags(
            testers: received.byUs ? random : zero,
            ours: received.byTester ? ours : zero
        )
        return (fixture, tags)
    }

    private func succeed(
        isCentral: Bool,
        _ received: Received,
        _ requirements: SMP.AuthenticationRequirements = .secureConnections
    ) throws {
        var (fixture, tags) = try began(isCentral: isCentral, received, requirements)
        try fixture.exchangePublicKeys()
        if isCentral { try fixture.receiveNonce() }
        fixture.tester(sends: .pairingRandom(fixture.tester.nonce))
        if !isCentral { try fixture.receiveNonce() }
        try fixture.exchangeChecks(testerSecret: tags.testers, ourSecret: tags.ours)
        fixture.encrypt(with: try fixture.tester.keys().longTermKey)
        #expect(try fixture.paired().method == .outOfBand)
        fixture.expectSilence()
    }

    @Test("SM/CEN/SCOB/BV-01-C: Out of Band, IUT Initiator - Success", arguments: Received.allCases)
    func initiator(_ received: Received) throws { try succeed(isCentral: true, received) }

    @Test("SM/PER/SCOB/BV-02-C: Out of Band, IUT Responder - Success", arguments: Received.allCases)
    func responder(_ received: Received) throws { try succeed(isCentral: false, received) }

    @Test("SM/PER/SCOB/BV-03-C: IUT Responder - Handle AuthReq Flag RFU Correctly")
    func reservedBitsOfInitiator() throws {
        try succeed(isCentral: false, .both, [.secureConnections, .reserved])
    }

    @Test("SM/CEN/SCOB/BV-04-C: IUT Initiator - Handle AuthReq Flag RFU Correctly")
    func reservedBitsOfResponder() throws {
        try succeed(isCentral: true, .both, [.secureConnections, .reserved])
    }

    @Test(
        "SM/CEN/SCOB/BI-01-C, SM/PER/SCOB/BI-02-C: The tester ends the pairing",
        arguments: [true, false]
    )
    func refused(isCentral: Bool) throws {
        var (fixture, _) = try began(isCentral: isCentral)
        if isCentral { _ = try fixture.weSend(.pairingPublicKey) }
        fixture.tester(sends: .failed(.outOfBandDataNotAvailable))
        fixture.application(receives: .failed(.refusedByPeer(.outOfBandDataNotAvailable)))
        fixture.expectSilence()
    }

    @Test("SM/PER/SCOB/BI-03-C: IUT Responder - The key does not match the tag")
    func wrongTagOfInitiator() throws {
        var (fixture, _) = try began(isCentral: false, isWrong: true)
        fixture.tester(sends: .publicKey(fixture.tester.pair.publicKey))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }

    @Test("SM/CEN/SCOB/BI-04-C: IUT Initiator - The key does not match the tag")
    func wrongTagOfResponder() throws {
        var (fixture, _) = try began(isCentral: true, isWrong: true)
        _ = try fixture.weSend(.pairingPublicKey)
        fixture.tester(sends: .publicKey(fixture.tester.pair.publicKey))
        fixture.weRefuse(.confirmValueFailed)
        fixture.expectSilence()
    }
}
