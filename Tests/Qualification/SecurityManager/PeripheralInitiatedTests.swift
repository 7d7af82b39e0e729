// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

/// SM/PIS, or SM/SIP in older suites: security that the Peripheral requests.
@Suite struct PeripheralInitiatedSecurityTests {
    private func finish(_ stage: inout SecurityStage) throws {
        try stage.exchangePublicKeys()
        try stage.exchangeNonces()
        try stage.exchangeChecks()
        stage.encrypt(with: try stage.tester.keys().longTermKey)
        #expect(try stage.paired().method == .justWorks)
        stage.expectSilence()
    }

    @Test("SM/PER/PIS/BV-01-C: Peripheral initiates pairing")
    func pairing() throws {
        var policy = Pairing.Policy.plain(.displayYesNo)
        policy.prefersAuthentication = true
        var stage = try SecurityStage(isCentral: false, policy)
        stage.application(pairsBy: policy)
        stage.we(send: .securityRequest([.protection, .secureConnections]))
        // Our side started the pairing, so the application is not asked for consent.
        try stage.exchangeFeatures(.tester(), consents: false)
        try finish(&stage)
    }

    @Test("SM/CEN/PIS/BV-02-C: Peripheral Initiates pairing - Central Response")
    func response() throws {
        var stage = try SecurityStage(isCentral: true, .plain(.displayYesNo))
        stage.tester(sends: .securityRequest([.protection, .secureConnections]))
        stage.application(hears: .wanted(isAuthenticated: true, usesSecureConnections: true))
        try stage.exchangeFeatures(.tester())
        try finish(&stage)
    }

    @Test("SM/CEN/PIS/BV-02-C: Peripheral Initiates pairing - Central Response - not supported")
    func notSupported() throws {
        var stage = try SecurityStage(isCentral: true, .plain())
        stage.we.policyForPeer = nil
        stage.tester(sends: .securityRequest([.protection, .secureConnections]))
        stage.we(send: .failed(.pairingNotSupported))
        stage.expectSilence()
    }

    @Test("SM/PER/PIS/BV-02-C: Peripheral initiates encryption")
    func encryption() throws {
        var policy = Pairing.Policy.plain()
        policy.prefersAuthentication = false
        var stage = try SecurityStage(isCentral: false, policy)
        stage.application(pairsBy: policy)
        stage.we(send: .securityRequest(.secureConnections))
        stage.linkIsEncrypted()
        #expect(!stage.we.isPairing)
        stage.wait(.seconds(60))
        stage.expectSilence()
    }

    @Test("SM/CEN/PIS/BV-03-C: Peripheral Initiates Encryption - Central Response")
    func second() throws {
        var stage = try SecurityStage(isCentral: true, .plain())
        stage.tester(sends: .securityRequest(.secureConnections))
        stage.application(hears: .wanted(isAuthenticated: false, usesSecureConnections: true))
        stage.application(pairsBy: stage.policy)
        guard case .pairingRequest(let request) = try stage.weSend(.pairingRequest) else { return }
        stage.tester(sends: .securityRequest(.secureConnections))
        stage.expectSilence()
        let response = SMP.PairingFeatures.tester()
        stage.tester.request = request
        stage.tester.response = response
        stage.tester(sends: .pairingResponse(response))
        try finish(&stage)
    }
}
