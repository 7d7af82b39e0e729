// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/EKS: the size of the key.
@Suite struct EncryptionKeySizeTests {
    private func policy(minimum: Int) -> Pairing.Policy {
        var policy = Pairing.Policy.plain()
        policy.minimumKeySize = minimum
        return policy
    }

    private func succeed(isCentral: Bool, size: Int) throws {
        var stage = try SecurityStage(isCentral: isCentral, policy(minimum: size))
        try stage.exchangeFeatures(.tester(keySize: size))
        try stage.exchangePublicKeys()
        try stage.exchangeNonces()
        try stage.exchangeChecks()
        stage.encrypt(with: try stage.tester.keys().longTermKey.shortened(to: size))
        #expect(try stage.paired().keySize == size)
        stage.expectSilence()
    }

    @Test(
        "SM/CEN/EKS/BV-01-C: IUT initiator, Lower Tester Maximum = Minimum of the IUT",
        arguments: 7...16
    )
    func initiator(size: Int) throws { try succeed(isCentral: true, size: size) }

    @Test(
        "SM/PER/EKS/BV-02-C: IUT Responder, Lower Tester Maximum = Minimum of the IUT",
        arguments: 7...16
    )
    func responder(size: Int) throws { try succeed(isCentral: false, size: size) }

    @Test(
        "SM/CEN/EKS/BI-01-C: IUT initiator, Lower Tester Maximum < Minimum of the IUT",
        arguments: 8...16
    )
    func tooShortOfResponder(minimum: Int) throws {
        var stage = try SecurityStage(isCentral: true, policy(minimum: minimum))
        try stage.exchangeFeatures(.tester(keySize: minimum - 1))
        stage.weRefuse(.encryptionKeySize)
        stage.expectSilence()
    }

    @Test(
        "SM/PER/EKS/BI-02-C: IUT Responder, Lower Tester Maximum < Minimum of the IUT",
        arguments: 8...16
    )
    func tooShortOfInitiator(minimum: Int) throws {
        var stage = try SecurityStage(isCentral: false, policy(minimum: minimum))
        stage.tester(sends: .pairingRequest(.tester(keySize: minimum - 1)))
        stage.weRefuse(.encryptionKeySize)
        stage.expectSilence()
    }
}
