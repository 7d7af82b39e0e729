// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@Suite("Security Requests")
struct SecurityRequestTests {
    @Test("The central reports the requirements of a Security Request")
    func reportedRequirements() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.pair(.init(.displayYesNo))
        dialogue.run()
        #expect(
            dialogue.central.actions == [
                .securityRequested(isAuthenticated: true, usesSecureConnections: true)
            ]
        )
        #expect(!dialogue.central.manager.isPairing)
        #expect(dialogue.peripheral.manager.isPairing)
    }

    @Test("The central pairs in response to a Security Request")
    func pairing() throws {
        var dialogue = PairingDialogue()
        dialogue.peripheral.pair(.init())
        dialogue.run()
        dialogue.central.pair(.init(), isRequestedByPeer: true)
        dialogue.run()
        try dialogue.expectSuccess(.justWorks)
        #expect(dialogue.central.questions == [.consent])
        #expect(dialogue.peripheral.questions.isEmpty)
        #expect(!dialogue.peripheral.actions.contains(.begun))
    }

    @Test("The user of the central may decline a Security Request")
    func declined() {
        var dialogue = PairingDialogue()
        dialogue.central.answer = { _ in .no }
        dialogue.peripheral.pair(.init())
        dialogue.run()
        dialogue.central.pair(.init(), isRequestedByPeer: true)
        dialogue.run()
        #expect(dialogue.central.failure == .declined)
        #expect(dialogue.peripheral.failure == .refusedByPeer(.pairingNotSupported))
    }

    @Test("The peripheral is notified if the central cannot meet the requirement")
    func impossibleRequirement() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.pair(.init())
        dialogue.run()
        let policy = Pairing.Policy(.noInputNoOutput) { $0.requiresAuthentication = true }
        dialogue.central.pair(policy, isRequestedByPeer: true)
        dialogue.run()
        dialogue.expectFailure(.authenticationRequirements, byCentral: true)
    }

    @Test("The policy of a Security Request takes precedence over the policy for peers")
    func requestPolicy() throws {
        var dialogue = PairingDialogue(.init(.displayYesNo))
        dialogue.peripheral.manager.policyForPeer = nil
        dialogue.peripheral.pair(.init(.displayYesNo))
        dialogue.run()
        dialogue.pair()
        try dialogue.expectSuccess(.numericComparison)
    }

    @Test("A request for encryption does not imply consent to a pairing", arguments: [true, false])
    func encryptionIsNotConsent(isCentral: Bool) throws {
        var dialogue = PairingDialogue()
        if isCentral {
            dialogue.central.pair(.init(), asksConsent: true)
            dialogue.run()
        } else {
            dialogue.peripheral.pair(.init(), asksConsent: true)
            dialogue.run()
            #expect(dialogue.peripheral.questions.isEmpty)
            dialogue.pair()
        }
        try dialogue.expectSuccess(.justWorks)
        let side = isCentral ? dialogue.central : dialogue.peripheral
        #expect(side.questions == [.consent])
    }

    @Test("A peer that has to wait is refused despite an open Security Request")
    func waitingPeer() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.pair(.init())
        dialogue.run()
        dialogue.peripheral.manager.refusalForPeer = .repeatedAttempts
        dialogue.pair()
        dialogue.expectFailure(.repeatedAttempts, byCentral: false)
    }

    @Test("If the link is encrypted with another key, a Security Request ends without a report")
    func otherKey() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.pair(.init())
        let before = dialogue.peripheral.actions
        dialogue.peripheral.encryptionChanged()
        #expect(dialogue.peripheral.actions == before)
        #expect(!dialogue.peripheral.manager.isPairing)
        #expect(dialogue.peripheral.manager.nextDeadline == nil)
    }

    @Test("Encryption that fails leaves a Security Request open")
    func failedEncryption() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.pair(.init())
        dialogue.peripheral.encryptionChanged(isEncrypted: false)
        #expect(dialogue.peripheral.manager.isPairing)
        #expect(dialogue.peripheral.failure == nil)
    }

    @Test("A central without a policy refuses a Security Request")
    func noPolicy() {
        var dialogue = PairingDialogue()
        dialogue.central.manager.policyForPeer = nil
        dialogue.peripheral.pair(.init())
        dialogue.run()
        #expect(dialogue.central.sentFailures == [.pairingNotSupported])
        #expect(dialogue.central.failure == nil)
        #expect(dialogue.peripheral.failure == .refusedByPeer(.pairingNotSupported))
    }

    @Test("A bonded central without a policy reports a Security Request")
    func bondWithoutPolicy() {
        var dialogue = PairingDialogue()
        dialogue.central.manager.policyForPeer = nil
        dialogue.central.manager.existingBond = PolicyEnforcementTests.unauthenticated
        dialogue.peripheral.pair(.init())
        dialogue.run()
        #expect(dialogue.central.actions.count == 1)
        #expect(dialogue.central.sent.isEmpty)
    }

    @Test("A Security Request that arrives after the Pairing Request was sent is ignored")
    func crossingRequest() throws {
        var dialogue = PairingDialogue()
        dialogue.central.pair(.init())
        dialogue.peripheral.pair(.init())
        dialogue.run()
        try dialogue.expectSuccess(.justWorks)
        #expect(
            !dialogue.central.actions.contains {
                if case .securityRequested = $0 { true } else { false }
            }
        )
    }

    @Test("A Security Request does not extend a pairing's timeout")
    func timeout() {
        var dialogue = PairingDialogue()
        dialogue.central.pair(.init())
        let deadline = dialogue.central.manager.nextDeadline
        dialogue.central.receive(
            .securityRequest(.bonding),
            now: .zero + .seconds(20)
        )
        #expect(dialogue.central.manager.nextDeadline == deadline)
    }

    @Test("A second request fails as busy while one is open") func busy() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.pair(.init())
        dialogue.peripheral.pair(.init())
        #expect(dialogue.peripheral.failure == .busy)
        #expect(dialogue.peripheral.manager.isPairing)
        #expect(dialogue.peripheral.sent.count == 1)
    }
}
