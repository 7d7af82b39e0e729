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

    /// Returns a stage on which Phase 2 has ended.
    private func encrypted(_ item: Case) throws -> SecurityStage {
        let policy = Pairing.Policy.plain(isLegacy: !item.isSecure, isBonding: true)
        var stage = try SecurityStage(isCentral: item.isCentral, policy)
        let requirements: SMP.AuthenticationRequirements =
            item.isSecure
            ? [.bonding, .secureConnections] : .bonding
        try stage.exchangeFeatures(.tester(.noInputNoOutput, requirements, keys: item.keys))
        guard item.isSecure else {
            try stage.confirmLegacy(HCI.Key128(passkey: 0))
            stage.encrypt(with: stage.tester.shortTermKey(HCI.Key128(passkey: 0)))
            return stage
        }
        try stage.exchangePublicKeys()
        try stage.exchangeNonces()
        try stage.exchangeChecks()
        stage.encrypt(with: try stage.tester.keys().longTermKey)
        return stage
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
                .identityAddressInformation(SecurityStage.testerAddress)
            default: .signingInformation(key)
            }
        }
    }

    @Test(
        "The requested keys, and no others, are distributed in order",
        arguments: Case.all
    )
    func distribution(_ item: Case) throws {
        var stage = try encrypted(item)
        if item.isCentral { testerPDUs(item).forEach { stage.tester(sends: $0) } }
        let sent = try item.codes.map { try stage.weSend($0) }
        if !item.isCentral { testerPDUs(item).forEach { stage.tester(sends: $0) } }
        let keys = try stage.paired()
        expect(keys, sent, item)
        stage.expectSilence()
    }

    private func expect(_ keys: Pairing.Keys, _ sent: [SMP.PDU], _ item: Case) {
        for pdu in sent {
            switch pdu {
            case .encryptionInformation(let key): #expect(keys.localKey?.value == key)
            case .centralIdentification(let diversifier, let random):
                #expect(keys.localKey?.diversifier == diversifier)
                #expect(keys.localKey?.random == random)
            case .identityInformation(let key): #expect(key == SecurityStage.resolvingKey)
            case .identityAddressInformation(let address):
                #expect(address == SecurityStage.ourAddress)
            case .signingInformation(let key): #expect(keys.localSigningKey == key)
            default: Issue.record("\(pdu)")
            }
        }
        let key = HCI.Key128(passkey: 123_456)
        let hasIdentity = item.keys.contains(.identityKey)
        #expect(keys.peerResolvingKey == (hasIdentity ? key : nil))
        #expect(keys.peerIdentity == (hasIdentity ? SecurityStage.testerAddress : nil))
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
        var stage = try encrypted(item)
        for code in item.codes { _ = try stage.weSend(code) }
        stage.tester(sends: .failed(.keyRejected))
        stage.application(hears: .failed(.refusedByPeer(.keyRejected)))
        stage.expectSilence()
    }

    @Test(
        "SM/PER/KDU/BV-07-C: IUT Responder - The distributed key encrypts the next session"
    )
    func reencrypts() throws {
        let item = Case.all[0]
        var stage = try encrypted(item)
        guard case .encryptionInformation(let key) = try stage.weSend(.encryptionInformation),
            case .centralIdentification(let diversifier, let random) = try stage.weSend(
                .centralIdentification
            )
        else { return }
        testerPDUs(item).forEach { stage.tester(sends: $0) }
        let bond = Bond(
            try stage.paired(),
            identifier: PeerIdentifier(octets: [UInt8](repeating: 1, count: 16)),
            connectedAddress: SecurityStage.testerAddress,
            localIdentity: SecurityStage.ourAddress
        )
        let expected = LongTermKey(key, diversifier: diversifier, random: random)
        #expect(bond.localKey == expected)
        // The key of the pairing itself is no longer available.
        #expect(stage.we.key(diversifier: 0, random: 0) == nil)
    }

    /// The rounds of Table 4.6.
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
        var stage = try SecurityStage(isCentral: true, .plain())
        try stage.exchangeFeatures(.tester())
        guard case .publicKey(let ours) = try stage.weSend(.pairingPublicKey) else { return }
        stage.tester(sends: .publicKey(forgery.forge(stage.tester.pair.publicKey, ours: ours)))
        stage.weRefuse(.dhKeyCheckFailed)
        stage.expectSilence()
    }

    @Test(
        "SM/PER/KDU/BI-01-C, BI-04-C: Lower Tester sends invalid public key",
        arguments: Forgery.allCases
    )
    func invalidKeyOfInitiator(_ forgery: Forgery) throws {
        var stage = try SecurityStage(isCentral: false, .plain())
        try stage.exchangeFeatures(.tester())
        stage.tester(sends: .publicKey(forgery.forge(stage.tester.pair.publicKey, ours: nil)))
        stage.weRefuse(.dhKeyCheckFailed)
        stage.expectSilence()
    }

    @Test("A key pair is used for one pairing only")
    func fresh() throws {
        var keys: Set<HCI.Coordinate256> = []
        var stage = try SecurityStage(isCentral: true, .plain())
        for _ in 0..<5 {
            try stage.exchangeFeatures(.tester())
            guard case .publicKey(let ours) = try stage.weSend(.pairingPublicKey) else { return }
            keys.insert(ours.x)
            stage.tester(sends: .failed(.unspecified))
            stage.application(hears: .failed(.refusedByPeer(.unspecified)))
        }
        #expect(keys.count == 5)
    }
}
