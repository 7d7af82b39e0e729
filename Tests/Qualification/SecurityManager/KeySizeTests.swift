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
        var fixture = try SecurityFixture(isCentral: isCentral, policy(minimum: size))
        try fixture.exchangeFeatures(.tester(keySize: size))
        try fixture.exchangePublicKeys()
        try fixture.exchangeNonces()
        try fixture.exchangeChecks()
        fixture.encrypt(with: try fixture.tester.keys().longTermKey.shortened(to: size))
        #expect(try fixture.paired().keySize == size)
        fixture.expectSilence()
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
        var fixture = try SecurityFixture(isCentral: true, policy(minimum: minimum))
        try fixture.exchangeFeatures(.tester(keySize: minimum - 1))
        fixture.weRefuse(.encryptionKeySize)
        fixture.expectSilence()
    }

    @Test(
        "SM/PER/EKS/BI-02-C: IUT Responder, Lower Tester Maximum < Minimum of the IUT",
        arguments: 8...16
    )
    func tooShortOfInitiator(minimum: Int) throws {
        var fixture = try SecurityFixture(isCentral: false, policy(minimum: minimum))
        fixture.tester(sends: .pairingRequest(.tester(keySize: minimum - 1)))
        fixture.weRefuse(.encryptionKeySize)
        fixture.expectSilence()
    }
}
