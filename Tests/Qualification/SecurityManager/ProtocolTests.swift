// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/PROT: the timeout of 30 seconds.
@Suite struct SMPTimeoutTests {
    @Test("SM/CEN/PROT/BV-01-C: SMP Time Out - IUT Initiator")
    func initiator() throws {
        var fixture = try SecurityFixture(isCentral: true, .plain())
        fixture.application(pairsBy: fixture.policy)
        _ = try fixture.weSend(.pairingRequest)
        fixture.wait(.milliseconds(29_999))
        fixture.expectSilence()
        fixture.wait(.milliseconds(1))
        fixture.application(receives: .failed(.timedOut))
        fixture.wait(.seconds(10))
        fixture.tester(sends: .pairingResponse(.tester()))
        fixture.expectSilence()
        fixture.application(pairsBy: fixture.policy)
        fixture.application(receives: .failed(.timedOut))
        fixture.expectSilence()
    }

    @Test("SM/PER/PROT/BV-02-C: SMP Time Out - IUT Responder")
    func responder() throws {
        var fixture = try SecurityFixture(isCentral: false, .plain())
        try fixture.exchangeFeatures(.tester())
        fixture.wait(.seconds(30))
        fixture.application(receives: .failed(.timedOut))
        fixture.wait(.seconds(10))
        fixture.tester(sends: .publicKey(fixture.tester.pair.publicKey))
        fixture.tester(sends: .pairingRequest(.tester()))
        fixture.expectSilence()
    }

    @Test("Each PDU restarts the timeout of 30 seconds")
    func restarts() throws {
        var fixture = try SecurityFixture(isCentral: false, .plain())
        try fixture.exchangeFeatures(.tester())
        fixture.wait(.seconds(29))
        try fixture.exchangePublicKeys()
        fixture.wait(.seconds(29))
        try fixture.exchangeNonces()
        fixture.expectSilence()
        fixture.wait(.seconds(29))
        try fixture.exchangeChecks()
        #expect(fixture.we.isPairing)
    }
}
