// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/KDU: key distribution on the encrypted link, and invalid keys.
@Suite struct KeyDistributionTests {
    /// A case, and the keys that its tester requests.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isCentral: Bool
        var isSecure: Bool
        var keys: SMP.KeyDistribution

        init(_ name: String, _ keys: SMP.KeyDistribution) {
            testDescription = name
            self.keys = keys
            isCentral = name.contains("/CEN/")
            isSecure = ["BV-08", "BV-09", "BV-10", "BV-11"].contains { name.contains($0) }
        }

        static let all = [
            Case("SM/PER/KDU/BV-01-C", .encryptionKey), Case("SM/PER/KDU/BV-02-C", .identityKey),
            Case("SM/PER/KDU/BV-03-C", .signingKey), Case("SM/CEN/KDU/BV-04-C", .signingKey),
            Case("SM/CEN/KDU/BV-05-C", .identityKey), Case("SM/CEN/KDU/BV-06-C", .encryptionKey),
            Case("SM/PER/KDU/BV-08-C", .identityKey), Case("SM/PER/KDU/BV-09-C", .signingKey),
            Case("SM/CEN/KDU/BV-10-C", .identityKey), Case("SM/CEN/KDU/BV-11-C", .signingKey),
        ]

        /// The PDUs that distribute the keys, in their order.
        var codes: [SMP.Code] {
            var codes: [SMP.Code] = []
            if keys.contains(.encryptionKey), !isSecure {
                codes += [.encryptionInformation, .centralIdentification]
            }
            if keys.contains(.identityKey) {
                codes += [.identityInformation, .identityAddressInformation]
            }
            if keys.contains(.signingKey) { codes += [.signingInformation] }
            return codes
        }
    }

    /// Returns a fixture on which Phase 2 has ended.
    private func encrypted(_ item: Case) throws -> SecurityFixture {
        let policy = Pairing.Policy.plain(isLegacy: !item.isSecure, isBonding: true)
        var fixture = try SecurityFixture(isCentral: item.isCentral, policy)
        let requirements: SMP.AuthenticationRequirements =
            item.isSecure
            ? [.bonding, .secureConnections] : .bonding
        try fixture.exchangeFeatures(.tester(.noInputNoOutput, requirements, keys: item.keys))
        guard item.isSecure else {
            try fixture.confirmLegacy(HCI.Key128(passkey: 0))
            fixture.encrypt(with: fixture.tester.shortTermKey(HCI.Key128(passkey: 0)))
            return fixture
        }
        try fixture.exchangePublicKeys()
        try fixture.exchangeNonces()
        try fixture.exchangeChecks()
        fixture.encrypt(with: try fixture.tester.keys().longTermKey)
        return fixture
    }

    /// Returns the PDUs that the tester distributes.
    private func testerPDUs(_ item: Case) -> [SMP.PDU] {
        let key = HCI.Key128(passkey: 123_456)
        return item.codes.map { code in
            switch code {
            case .encryptionInformation: .encryptionInformation(key)
            case .centralIdentification: .centralIdentification(diversifier: 7, random: 8)
            case .identityInformation: .identityInformation(key)
            case .identityAddressInformation:
                .identityAddressInformation(SecurityFixture.testerAddress)
            default: .signingInformation(key)
            }
        }
    }

    @Test(
        "The requested keys, and no others, are distributed in order",
        arguments: Case.all
    )
    func distribution(_ item: Case) throws {
        var fixture = try encrypted(item)
        if item.isCentral { testerPDUs(item).forEach { fixture.tester(sends: $0) } }
        let sent = try item.codes.map { try fixture.weSend($0) }
        if !item.isCentral { testerPDUs(item).forEach { fixture.tester(sends: $0) } }
        let keys = try fixture.paired()
        expect(keys, sent, item)
        fixture.expectSilence()
    }

    private func expect(_ keys: Pairing.Keys, _ sent: [SMP.PDU], _ item: Case) {
        for pdu in sent {
            switch pdu {
            case .encryptionInformation(let key): #expect(keys.localKey?.value == key)
            case .centralIdentification(let diversifier, let random):
                #expect(keys.localKey?.diversifier == diversifier)
                #expect(keys.localKey?.random == random)
            case .identityInformation(let key): #expect(key == SecurityFixture.resolvingKey)
            case .identityAddressInformation(let address):
                #expect(address == SecurityFixture.ourAddress)
            case .signingInformation(let key): #expect(keys.localSigningKey == key)
            default: Issue.record("\(pdu)")
            }
        }
        let key = HCI.Key128(passkey: 123_456)
        let hasIdentity = item.keys.contains(.identityKey)
        #expect(keys.peerResolvingKey == (hasIdentity ? key : nil))
        #expect(keys.peerIdentity == (hasIdentity ? SecurityFixture.testerAddress : nil))
        #expect(keys.peerSigningKey == (item.keys.contains(.signingKey) ? key : nil))
        guard item.keys.contains(.encryptionKey) else { return }
        #expect(keys.peerKey == LongTermKey(key, diversifier: 7, random: 8))
    }

    @Test(
        "SM/PER/KDU/BI-02-C, BI-03-C: IUT Responder - Key Rejected",
        arguments: ["SM/PER/KDU/BV-02-C", "SM/PER/KDU/BV-08-C"]
    )
    func rejected(name: String) throws {
        let item = try #require(Case.all.first { $0.testDescription == name })
        var fixture = try encrypted(item)
        for code in item.codes { _ = try fixture.weSend(code) }
        fixture.tester(sends: .failed(.keyRejected))
        fixture.application(receives: .failed(.refusedByPeer(.keyRejected)))
        fixture.expectSilence()
    }

    @Test(
        "SM/PER/KDU/BV-07-C: IUT Responder - The distributed key encrypts the next session"
    )
    func reencrypts() throws {
        let item = Case.all[0]
        var fixture = try encrypted(item)
        guard case .encryptionInformation(let key) = try fixture.weSend(.encryptionInformation),
            case .centralIdentification(let diversifier, let random) = try fixture.weSend(
                .centralIdentification
            )
        else { return }
        testerPDUs(item).forEach { fixture.tester(sends: $0) }
        let bond = Bond(
            try fixture.paired(),
            identifier: PeerIdentifier(bytes: [UInt8](repeating: 1, count: 16)),
            connectedAddress: SecurityFixture.testerAddress,
            localIdentity: SecurityFixture.ourAddress
        )
        let expected = LongTermKey(key, diversifier: diversifier, random: random)
        #expect(bond.localKey == expected)
        // The key of the pairing itself is no longer available.
        #expect(fixture.we.key(diversifier: 0, random: 0) == nil)
    }

    /// The rounds of Table 4.6 of the official test suite.
    enum Forgery: CaseIterable {
        case zeroY, turnedBit, zeros, sameX

        func forge(_ key: SMP.PublicKey, ours: SMP.PublicKey?) -> SMP.PublicKey {
            switch self {
            case .zeroY: SMP.PublicKey(x: key.x, y: HCI.Coordinate256())
            case .turnedBit:
                SMP.PublicKey(
                    x: key.x,
                    y: HCI.Coordinate256([key.y.bytes[0] ^ 0x04] + key.y.bytes.dropFirst())
                        ?? HCI.Coordinate256()
                )
            case .zeros: SMP.PublicKey(x: HCI.Coordinate256(), y: HCI.Coordinate256())
            case .sameX: ours ?? SMP.PublicKey(x: HCI.Coordinate256(), y: key.y)
            }
        }
    }

    @Test(
        "SM/CEN/KDU/BI-01-C, BI-04-C: Lower Tester sends invalid public key",
        arguments: Forgery.allCases
    )
    func invalidKeyOfResponder(_ forgery: Forgery) throws {
        var fixture = try SecurityFixture(isCentral: true, .plain())
        try fixture.exchangeFeatures(.tester())
        guard case .publicKey(let ours) = try fixture.weSend(.pairingPublicKey) else { return }
        fixture.tester(sends: .publicKey(forgery.forge(fixture.tester.pair.publicKey, ours: ours)))
        fixture.weRefuse(.dhKeyCheckFailed)
        fixture.expectSilence()
    }

    @Test(
        "SM/PER/KDU/BI-01-C, BI-04-C: Lower Tester sends invalid public key",
        arguments: Forgery.allCases
    )
    func invalidKeyOfInitiator(_ forgery: Forgery) throws {
        var fixture = try SecurityFixture(isCentral: false, .plain())
        try fixture.exchangeFeatures(.tester())
        fixture.tester(sends: .publicKey(forgery.forge(fixture.tester.pair.publicKey, ours: nil)))
        fixture.weRefuse(.dhKeyCheckFailed)
        fixture.expectSilence()
    }

    @Test("A key pair is used for one pairing only")
    func fresh() throws {
        var keys: Set<HCI.Coordinate256> = []
        var fixture = try SecurityFixture(isCentral: true, .plain())
        for _ in 0..<5 {
            try fixture.exchangeFeatures(.tester())
            guard case .publicKey(let ours) = try fixture.weSend(.pairingPublicKey) else { return }
            keys.insert(ours.x)
            fixture.tester(sends: .failed(.unspecified))
            fixture.application(receives: .failed(.refusedByPeer(.unspecified)))
        }
        #expect(keys.count == 5)
    }
}
