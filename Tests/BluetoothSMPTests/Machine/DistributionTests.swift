// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// The keys that are distributed, in their order.
@Suite("Distribution of keys")
struct DistributionTests {
    static let subsets = (0..<8 as Range<UInt8>).map { SMP.KeyDistribution(rawValue: $0) }

    @Test("Keys that both sides negotiated are distributed", arguments: subsets, subsets)
    func negotiatedKeys(
        initiator: SMP.KeyDistribution,
        responder: SMP.KeyDistribution
    ) throws {
        for isLegacy in [false, true] {
            let policy: Pairing.Policy = isLegacy ? .legacy() : .init()
            var dialogue = PairingDialogue(policy, policy)
            dialogue.central.manager.policyForPeer?.keyDistribution = initiator
            dialogue.peripheral.manager.policyForPeer?.keyDistribution = responder
            dialogue.pair()
            try dialogue.expectSuccess(.justWorks)
            let common = initiator.intersection(responder)
            for keys in [dialogue.central.keys, dialogue.peripheral.keys] {
                let keys = try #require(keys)
                let hasKey = !isLegacy || common.contains(.encryptionKey)
                #expect((keys.peerKey != nil) == hasKey)
                #expect(keys.isBonded == hasKey)
                #expect((keys.peerIdentity != nil) == common.contains(.identityKey))
                #expect((keys.peerResolvingKey != nil) == common.contains(.identityKey))
                #expect((keys.peerSigningKey != nil) == common.contains(.signingKey))
            }
        }
    }

    @Test("Both sides distribute their keys in the same order")
    func responderFirst() {
        var dialogue = PairingDialogue(.legacy(), .legacy())
        dialogue.pair()
        let order: [SMP.Code] = [
            .encryptionInformation, .centralIdentification, .identityInformation,
            .identityAddressInformation, .signingInformation,
        ]
        for side in [dialogue.central, dialogue.peripheral] {
            #expect(side.sent.map(\.code).suffix(5) == order[...])
        }
    }

    @Test("The initiator waits for all keys of the responder")
    func initiatorWaits() {
        var dialogue = PairingDialogue()
        dialogue.tamper = { pdu, _ in pdu[0] == 0x0A ? [] : [pdu] }
        dialogue.pair()
        #expect(dialogue.central.manager.isPairing)
        #expect(dialogue.central.keys == nil)
        #expect(!dialogue.central.sent.contains { $0.code == .identityInformation })
    }

    @Test("Keys in another order are refused", arguments: [true, false])
    func wrongOrder(isToCentral: Bool) {
        var held: [UInt8]?
        var dialogue = PairingDialogue()
        dialogue.tamper = { pdu, isForCentral in
            guard isForCentral == isToCentral else { return [pdu] }
            if pdu[0] == 0x08 {
                held = pdu
                return []
            }
            defer { held = nil }
            return [pdu] + (held.map { [$0] } ?? [])
        }
        dialogue.pair()
        let side = isToCentral ? dialogue.central : dialogue.peripheral
        #expect(side.failure == .refused(.unspecified))
        #expect(side.keys == nil)
    }

    @Test("A key that was not negotiated is refused") func unnegotiatedKey() {
        var dialogue = PairingDialogue()
        dialogue.tamper = { pdu, isForCentral in
            guard isForCentral, pdu[0] == 0x08 else { return [pdu] }
            return [SMP.PDU.encryptionInformation(PairingDialogue.key(3)).encode(), pdu]
        }
        dialogue.pair()
        #expect(dialogue.central.failure == .refused(.unspecified))
        #expect(dialogue.central.keys == nil)
    }

    @Test("A response may not offer more keys than the request")
    func excessiveResponse() {
        for isOwn in [true, false] {
            var features = SMP.PairingFeatures.secureResponse
            if isOwn {
                features.responderKeys = .linkKey
            } else {
                features.initiatorKeys = .linkKey
            }
            var dialogue = PairingDialogue()
            dialogue.central.pair(.init())
            dialogue.central.receive(.pairingResponse(features))
            #expect(dialogue.central.failure == .refused(.invalidParameters))
        }
    }

    @Test("Keys of BR/EDR are never offered") func noLinkKeys() throws {
        var features = SMP.PairingFeatures.secureResponse
        features.initiatorKeys = SMP.KeyDistribution(rawValue: 0xFF)
        features.responderKeys = SMP.KeyDistribution(rawValue: 0xFF)
        var dialogue = PairingDialogue()
        dialogue.peripheral.receive(.pairingRequest(features))
        dialogue.peripheral.answer(.yes)
        let response = try #require(
            dialogue.peripheral.sent.compactMap {
                if case .pairingResponse(let features) = $0 { features } else { nil }
            }.first
        )
        #expect(response.initiatorKeys == [.identityKey, .signingKey])
        #expect(response.responderKeys == [.identityKey, .signingKey])
    }

    /// Returns a dialogue that replaces a key of the peripheral.
    static func dialogue(
        _ policy: Pairing.Policy = .init(),
        replacing code: UInt8,
        by pdu: SMP.PDU
    ) -> PairingDialogue {
        var dialogue = PairingDialogue(policy, policy)
        dialogue.tamper = { [$1 && $0[0] == code ? pdu.encode() : $0] }
        dialogue.pair()
        return dialogue
    }

    @Test("An identity resolving key of zeros means that the peer has no privacy")
    func zeroResolvingKey() throws {
        let zeros = try #require(HCI.Key128([UInt8](repeating: 0, count: 16)))
        let dialogue = Self.dialogue(replacing: 0x08, by: .identityInformation(zeros))
        let keys = try #require(dialogue.central.keys)
        #expect(keys.peerResolvingKey == nil)
        #expect(keys.peerIdentity == dialogue.peripheral.manager.context.identity.address)
    }

    @Test(
        "A random identity address that is not static fails the pairing",
        arguments: [0x4000_0000_0001, 0x0000_0000_0001, 0x8000_0000_0001] as [UInt64]
    )
    func privateIdentityAddress(value: UInt64) {
        let address = DeviceAddress(value: value, kind: .random)
        let dialogue = Self.dialogue(replacing: 0x09, by: .identityAddressInformation(address))
        dialogue.expectFailure(.invalidParameters, byCentral: true)
    }

    @Test("The receiver's own address is not accepted as the peer's identity")
    func ownAddress() {
        let address = DeviceAddress(value: 0xC000_0000_0001, kind: .random)
        let dialogue = Self.dialogue(replacing: 0x09, by: .identityAddressInformation(address))
        dialogue.expectFailure(.invalidParameters, byCentral: true)
    }

    @Test("An identity address of zeros counts as no identity") func zeroAddress() throws {
        let address = DeviceAddress(value: 0, kind: .public)
        let dialogue = Self.dialogue(replacing: 0x09, by: .identityAddressInformation(address))
        let keys = try #require(dialogue.central.keys)
        #expect(keys.peerIdentity == nil)
        #expect(keys.peerResolvingKey == nil)
    }

    @Test("A long-term key of zeros is rejected") func zeroLongTermKey() throws {
        let zeros = try #require(HCI.Key128([UInt8](repeating: 0, count: 16)))
        let dialogue = Self.dialogue(
            .legacy(),
            replacing: 0x06,
            by: .encryptionInformation(zeros)
        )
        dialogue.expectFailure(.keyRejected, byCentral: true)
    }

    @Test("A long-term key longer than the negotiated size is shortened")
    func longLongTermKey() throws {
        let policy = Pairing.Policy.legacy {
            $0.minimumKeySize = 7
            $0.maximumKeySize = 7
        }
        let dialogue = Self.dialogue(
            policy,
            replacing: 0x06,
            by: .encryptionInformation(PairingDialogue.key(0xFF))
        )
        let key = try #require(dialogue.central.keys?.peerKey)
        #expect(
            key.value.bytes == [UInt8](repeating: 0xFF, count: 7) + [UInt8](repeating: 0, count: 9)
        )
    }

    @Test("Incompletely distributed keys are discarded")
    func incompleteKeys() {
        var dialogue = PairingDialogue()
        dialogue.tamper = { pdu, isForCentral in
            isForCentral && pdu[0] == 0x0A ? [[0x05, 0x08]] : [pdu]
        }
        dialogue.pair()
        #expect(dialogue.central.failure == .refusedByPeer(.unspecified))
        #expect(dialogue.central.keys == nil)
    }

    @Test("The end of encryption ends a distribution and discards its keys")
    func encryptionEnds() {
        var dialogue = PairingDialogue()
        dialogue.tamper = { pdu, _ in pdu[0] == 0x0A ? [] : [pdu] }
        dialogue.pair()
        dialogue.central.encryptionChanged(isEncrypted: false)
        #expect(dialogue.central.failure == .notEncrypted)
        #expect(dialogue.central.keys == nil)
    }
}
