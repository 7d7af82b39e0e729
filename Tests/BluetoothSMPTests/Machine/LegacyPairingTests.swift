// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@Suite("Legacy pairing")
struct LegacyPairingTests {
    @Test("Just Works in legacy pairing distributes two keys")
    func justWorksKeys() throws {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
        let keys = try #require(dialogue.central.keys)
        let peerKey = try #require(keys.peerKey)
        let localKey = try #require(keys.localKey)
        #expect(!keys.usesSecureConnections)
        #expect(keys.isBonded)
        #expect(peerKey != localKey)
        #expect(!dialogue.linkKeys.contains(peerKey.value))
        #expect(!dialogue.linkKeys.contains(localKey.value))
    }

    @Test("Long-term keys are sent only on an encrypted link")
    func encryptedKeys() throws {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.pair()
        let encryption = try #require(
            dialogue.central.actions.firstIndex {
                if case .encrypt = $0 { true } else { false }
            }
        )
        for action in dialogue.central.actions[..<encryption] {
            guard case .send(let bytes) = action else { continue }
            #expect(bytes[0] < SMP.Code.encryptionInformation.rawValue)
        }
    }

    @Test(
        "Legacy pairing is used if either side supports only legacy pairing",
        arguments: [true, false]
    )
    func eitherSideLegacyOnly(isCentralOld: Bool) throws {
        let new = Pairing.Policy(.noInputNoOutput) { $0.allowsLegacyPairing = true }
        var dialogue = PairingDialogue(
            isCentralOld ? .legacy() : new,
            isCentralOld ? new : .legacy()
        )
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
        #expect(dialogue.central.keys?.usesSecureConnections == false)
    }

    @Test("LE Secure Connections is used if both sides support it")
    func secureConnectionsPreferred() throws {
        let policy = Pairing.Policy(.noInputNoOutput) { $0.allowsLegacyPairing = true }
        var dialogue = PairingDialogue(policy, policy)
        dialogue.pair()
        #expect(dialogue.central.keys?.usesSecureConnections == true)
    }

    @Test("A side that does not allow legacy pairing refuses it", arguments: [true, false])
    func legacyNotAllowed(isCentralOld: Bool) {
        var dialogue = PairingDialogue(
            isCentralOld ? .legacy() : Pairing.Policy(),
            isCentralOld ? Pairing.Policy() : .legacy()
        )
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: !isCentralOld)
    }

    @Test("Legacy pairing has no numeric comparison")
    func noNumericComparison() throws {
        var dialogue = PairingDialogue(.legacy(.displayYesNo), .legacy(.displayYesNo))
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
    }

    @Test("The random number is not sent before the peer's confirm value")
    func randomAfterConfirm() throws {
        // A peer that learns the random number earlier can choose its own accordingly.
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.central.pair(.legacy())
        dialogue.central.receive(.pairingResponse(.legacyResponse))
        #expect(dialogue.central.sent.last?.code == .pairingConfirm)
        dialogue.central.receive(.pairingRandom(SMP.Value128()))
        #expect(dialogue.central.failure == .refused(.unspecified))
        #expect(!dialogue.central.sent.contains { $0.code == .pairingRandom })
    }

    @Test("The responder refuses a random number before the confirm value")
    func earlyRandom() {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.peripheral.receive(.pairingRequest(.legacyResponse))
        dialogue.peripheral.answer(.yes)
        dialogue.peripheral.receive(.pairingRandom(SMP.Value128()))
        #expect(dialogue.peripheral.failure == .refused(.unspecified))
        #expect(!dialogue.peripheral.sent.contains { $0.code == .pairingRandom })
    }

    @Test("The receiver's own confirm value is refused")
    func ownConfirmValue() throws {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.central.pair(.legacy())
        dialogue.central.receive(.pairingResponse(.legacyResponse))
        let confirm = try #require(dialogue.central.sent.last)
        dialogue.central.receive(confirm)
        #expect(dialogue.central.failure == .refused(.confirmValueFailed))
        #expect(!dialogue.central.sent.contains { $0.code == .pairingRandom })
    }

    @Test(
        "A random number that does not match its confirm value fails the pairing",
        arguments: [true, false]
    )
    func unconfirmedRandom(isToCentral: Bool) {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.tamper = { pdu, isForCentral in
            guard pdu[0] == 0x04, isForCentral == isToCentral else { return [pdu] }
            return [[0x04] + pdu.dropFirst().map { $0 ^ 1 }]
        }
        dialogue.pair()
        dialogue.expectFailure(.confirmValueFailed, byCentral: isToCentral)
        #expect(dialogue.linkKeys.isEmpty)
    }

    @Test("A public key in legacy pairing is refused") func unexpectedPublicKey() {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.peripheral.receive(.pairingRequest(.legacyResponse))
        dialogue.peripheral.answer(.yes)
        dialogue.peripheral.receive(SMP.PDU.publicKey(.init(x: .init(), y: .init())))
        #expect(dialogue.peripheral.sentFailures == [.unspecified])
    }
}

extension SMP.PairingFeatures {
    /// The features of a device with legacy pairing only and without input or output.
    static let legacyResponse = SMP.PairingFeatures(
        ioCapability: .noInputNoOutput,
        requirements: .bonding
    )
}
