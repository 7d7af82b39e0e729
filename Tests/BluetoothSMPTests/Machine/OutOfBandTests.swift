// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

@Suite("Out-of-band pairing")
struct OutOfBandTests {
    /// Returns the data that one side has made.
    static func made(seed: UInt64, legacy: Bool = false) throws -> Pairing.LocalOutOfBandData {
        var generator = SplitMix64(seed: seed)
        return try #require(
            Pairing.LocalOutOfBandData.make(forLegacyPairing: legacy, using: &generator)
        )
    }

    @Test("A pairing succeeds if each side has data of the peer")
    func dataOfBoth() throws {
        let (one, two) = (try Self.made(seed: 1), try Self.made(seed: 2))
        var dialogue = PairingDialogue()
        dialogue.central.manager.policyForPeer?.localOutOfBandData = one
        dialogue.central.manager.policyForPeer?.peerOutOfBandData = two.data
        dialogue.peripheral.manager.policyForPeer?.localOutOfBandData = two
        dialogue.peripheral.manager.policyForPeer?.peerOutOfBandData = one.data
        dialogue.pair()
        try dialogue.expectSuccess(.outOfBand)
        #expect(dialogue.central.keys?.usesSecureConnections == true)
        #expect(dialogue.peripheral.questions.isEmpty)
    }

    @Test("A pairing succeeds if only one side has data of the peer", arguments: [true, false])
    func dataOfOne(isCentral: Bool) throws {
        let data = try Self.made(seed: 3)
        var dialogue = PairingDialogue()
        if isCentral {
            dialogue.central.manager.policyForPeer?.peerOutOfBandData = data.data
            dialogue.peripheral.manager.policyForPeer?.localOutOfBandData = data
        } else {
            dialogue.peripheral.manager.policyForPeer?.peerOutOfBandData = data.data
            dialogue.central.manager.policyForPeer?.localOutOfBandData = data
        }
        dialogue.pair()
        try dialogue.expectSuccess(.outOfBand)
    }

    @Test(
        "A public key that does not match its confirmation fails the pairing",
        arguments: [true, false]
    )
    func wrongPublicKey(isCentral: Bool) throws {
        let (data, other) = (try Self.made(seed: 3), try Self.made(seed: 4))
        var dialogue = PairingDialogue()
        if isCentral {
            dialogue.central.manager.policyForPeer?.peerOutOfBandData = data.data
            dialogue.peripheral.manager.policyForPeer?.localOutOfBandData = other
        } else {
            dialogue.peripheral.manager.policyForPeer?.peerOutOfBandData = data.data
            dialogue.central.manager.policyForPeer?.localOutOfBandData = other
        }
        dialogue.pair()
        dialogue.expectFailure(.confirmValueFailed, byCentral: isCentral)
    }

    @Test("A peer that claims data that was never made is refused", arguments: [true, false])
    func claimedData(isCentral: Bool) throws {
        let data = try Self.made(seed: 5)
        var dialogue = PairingDialogue()
        if isCentral {
            dialogue.central.manager.policyForPeer?.peerOutOfBandData = data.data
        } else {
            dialogue.peripheral.manager.policyForPeer?.peerOutOfBandData = data.data
        }
        dialogue.pair()
        dialogue.expectFailure(.outOfBandDataNotAvailable, byCentral: !isCentral)
    }

    @Test("A wrong random number fails the check", arguments: [true, false])
    func wrongRandom(isCentral: Bool) throws {
        // The confirmation matches the public key and a random number other than the shared one.
        let data = try Self.made(seed: 6)
        var dialogue = PairingDialogue()
        let side: WritableKeyPath<PairingDialogue, PairingSide> =
            isCentral ? \.peripheral : \.central
        let reader: WritableKeyPath<PairingDialogue, PairingSide> =
            isCentral ? \.central : \.peripheral
        dialogue[keyPath: side].manager.policyForPeer?.localOutOfBandData = data
        let wrong = try Pairing.OutOfBandData(
            confirmation: data.data.confirmation,
            random: data.data.random?.map { $0 ^ 1 }
        )
        dialogue[keyPath: reader].manager.policyForPeer?.peerOutOfBandData = wrong
        dialogue.pair()
        dialogue.expectFailure(.confirmValueFailed, byCentral: isCentral)
    }

    @Test("A temporary key authenticates legacy pairing")
    func temporaryKey() throws {
        let data = try Self.made(seed: 7, legacy: true)
        var dialogue = PairingDialogue(
            .legacy { $0.localOutOfBandData = data },
            .legacy { $0.peerOutOfBandData = data.data }
        )
        dialogue.pair()
        try dialogue.expectSuccess(.outOfBand)
        #expect(dialogue.central.keys?.usesSecureConnections == false)
    }

    @Test("A temporary key alone is used if legacy pairing is allowed")
    func temporaryKeyOnly() throws {
        let key = [UInt8](repeating: 9, count: 16)
        let policy = Pairing.Policy(.noInputNoOutput) {
            $0.allowsLegacyPairing = true
            $0.peerOutOfBandData = try? Pairing.OutOfBandData(temporaryKey: key)
        }
        var dialogue = PairingDialogue(policy, policy)
        dialogue.pair()
        try dialogue.expectSuccess(.outOfBand)
    }

    @Test("A temporary key on one side only is not used")
    func temporaryKeyOfOne() throws {
        var dialogue = PairingDialogue(
            .legacy {
                let key = [UInt8](repeating: 9, count: 16)
                $0.peerOutOfBandData = try? Pairing.OutOfBandData(temporaryKey: key)
            },
            .legacy()
        )
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
    }

    @Test("Different temporary keys fail the pairing") func differentTemporaryKeys() {
        func policy(_ byte: UInt8) -> Pairing.Policy {
            .legacy {
                let key = [UInt8](repeating: byte, count: 16)
                $0.peerOutOfBandData = try? Pairing.OutOfBandData(temporaryKey: key)
            }
        }
        var dialogue = PairingDialogue(policy(1), policy(2))
        dialogue.pair()
        dialogue.expectFailure(.confirmValueFailed, byCentral: false)
    }

    @Test("Out-of-band data satisfies the requirement of protection")
    func requiredProtection() throws {
        let data = try Self.made(seed: 8)
        var dialogue = PairingDialogue(
            .init(.noInputNoOutput) {
                $0.requiresAuthentication = true
                $0.peerOutOfBandData = data.data
            },
            .init(.noInputNoOutput) { $0.localOutOfBandData = data }
        )
        dialogue.pair()
        try dialogue.expectSuccess(.outOfBand)
    }
}
