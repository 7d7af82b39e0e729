// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

@Suite struct LegacyPairingTests {
    @Test func justWorksHandsOverTwoKeys() throws {
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

    @Test func longTermKeysAreToldUnderEncryptionOnly() throws {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.pair()
        let encryption = try #require(
            dialogue.central.actions.firstIndex {
                if case .encrypt = $0 { true } else { false }
            }
        )
        for action in dialogue.central.actions[..<encryption] {
            guard case .send(let octets) = action else { continue }
            #expect(octets[0] < SMP.Code.encryptionInformation.rawValue)
        }
    }

    @Test(arguments: [true, false])
    func eitherSideMayBeOld(isCentralOld: Bool) throws {
        let new = Pairing.Policy(.noInputNoOutput) { $0.allowsLegacyPairing = true }
        var dialogue = PairingDialogue(
            isCentralOld ? .legacy() : new,
            isCentralOld ? new : .legacy()
        )
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
        #expect(dialogue.central.keys?.usesSecureConnections == false)
    }

    @Test func whoCanDoBetterDoes() throws {
        let policy = Pairing.Policy(.noInputNoOutput) { $0.allowsLegacyPairing = true }
        var dialogue = PairingDialogue(policy, policy)
        dialogue.pair()
        #expect(dialogue.central.keys?.usesSecureConnections == true)
    }

    @Test(arguments: [true, false])
    func whoDoesNotAllowItRefuses(isCentralOld: Bool) {
        var dialogue = PairingDialogue(
            isCentralOld ? .legacy() : Pairing.Policy(),
            isCentralOld ? Pairing.Policy() : .legacy()
        )
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: !isCentralOld)
    }

    @Test func peopleDoNotCompareNumbersInLegacyPairing() throws {
        var dialogue = PairingDialogue(.legacy(.displayYesNo), .legacy(.displayYesNo))
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
    }

    @Test func theRandomNumberIsNotToldBeforeTheConfirmValue() throws {
        // A peer that hears it earlier can choose its own by it (CVE-2020-0022 and its like).
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.central.pair(.legacy())
        dialogue.central.receive(.pairingResponse(.legacyResponse))
        #expect(dialogue.central.sent.last?.code == .pairingConfirm)
        dialogue.central.receive(.pairingRandom(SMP.Value128()))
        #expect(dialogue.central.failure == .refused(.unspecified))
        #expect(!dialogue.central.sent.contains { $0.code == .pairingRandom })
    }

    @Test func theResponderDoesNotTakeARandomNumberFirst() {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.peripheral.receive(.pairingRequest(.legacyResponse))
        dialogue.peripheral.answer(.yes)
        dialogue.peripheral.receive(.pairingRandom(SMP.Value128()))
        #expect(dialogue.peripheral.failure == .refused(.unspecified))
        #expect(!dialogue.peripheral.sent.contains { $0.code == .pairingRandom })
    }

    @Test func ourOwnConfirmValueIsNotThePeers() throws {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.central.pair(.legacy())
        dialogue.central.receive(.pairingResponse(.legacyResponse))
        let confirm = try #require(dialogue.central.sent.last)
        dialogue.central.receive(confirm)
        #expect(dialogue.central.failure == .refused(.confirmValueFailed))
        #expect(!dialogue.central.sent.contains { $0.code == .pairingRandom })
    }

    @Test(arguments: [true, false])
    func aNumberThatWasNotConfirmedFails(isToCentral: Bool) {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.tamper = { pdu, isForCentral in
            guard pdu[0] == 0x04, isForCentral == isToCentral else { return [pdu] }
            return [[0x04] + pdu.dropFirst().map { $0 ^ 1 }]
        }
        dialogue.pair()
        dialogue.expectFailure(.confirmValueFailed, byCentral: isToCentral)
        #expect(dialogue.linkKeys.isEmpty)
    }

    @Test func aPublicKeyHasNoPlaceInIt() {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.peripheral.receive(.pairingRequest(.legacyResponse))
        dialogue.peripheral.answer(.yes)
        dialogue.peripheral.receive(SMP.PDU.publicKey(.init(x: .init(), y: .init())))
        #expect(dialogue.peripheral.sentFailures == [.unspecified])
    }
}

extension SMP.PairingFeatures {
    /// What an old device without buttons says.
    static let legacyResponse = SMP.PairingFeatures(
        ioCapability: .noInputNoOutput,
        requirements: .bonding
    )
}
