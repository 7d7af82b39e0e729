// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/PROT: the timeout of 30 seconds.
@Suite struct SMPTimeoutTests {
    @Test("SM/CEN/PROT/BV-01-C: SMP Time Out - IUT Initiator")
    func initiator() throws {
        var stage = try SecurityStage(isCentral: true, .plain())
        stage.application(pairsBy: stage.policy)
        _ = try stage.weSend(.pairingRequest)
        stage.wait(.milliseconds(29_999))
        stage.expectSilence()
        stage.wait(.milliseconds(1))
        stage.application(hears: .failed(.timedOut))
        stage.wait(.seconds(10))
        stage.tester(sends: .pairingResponse(.tester()))
        stage.expectSilence()
        stage.application(pairsBy: stage.policy)
        stage.application(hears: .failed(.timedOut))
        stage.expectSilence()
    }

    @Test("SM/PER/PROT/BV-02-C: SMP Time Out - IUT Responder")
    func responder() throws {
        var stage = try SecurityStage(isCentral: false, .plain())
        try stage.exchangeFeatures(.tester())
        stage.wait(.seconds(30))
        stage.application(hears: .failed(.timedOut))
        stage.wait(.seconds(10))
        stage.tester(sends: .publicKey(stage.tester.pair.publicKey))
        stage.tester(sends: .pairingRequest(.tester()))
        stage.expectSilence()
    }

    @Test("Each PDU restarts the timeout of 30 seconds")
    func restarts() throws {
        var stage = try SecurityStage(isCentral: false, .plain())
        try stage.exchangeFeatures(.tester())
        stage.wait(.seconds(29))
        try stage.exchangePublicKeys()
        stage.wait(.seconds(29))
        try stage.exchangeNonces()
        stage.expectSilence()
        stage.wait(.seconds(29))
        try stage.exchangeChecks()
        #expect(stage.we.isPairing)
    }
}
