// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

/// PDUs that arrive too early or twice, or that were changed.
@Suite("The order of PDUs")
struct OrderTests {
    /// The value that the tests send in place of a correct value of the peer.
    let zero = SMP.Value128()

    @Test("A random number before its confirm value is refused")
    func randomBeforeConfirm() throws {
        var dialogue = PairingDialogue()
        dialogue.central.pair(Pairing.Policy())
        dialogue.central.receive(.pairingResponse(.secureResponse))
        dialogue.central.receive(.publicKey(try Self.someKey()))
        dialogue.central.receive(.pairingRandom(zero))
        #expect(dialogue.central.failure == .refused(.unspecified))
        #expect(!dialogue.central.sent.contains { $0.code == .pairingRandom })
    }

    @Test("Before the DHKey check, there is no key, and encryption does not complete the pairing")
    func encryptionBeforeCheck() throws {
        var peripheral = ForgedKeyTests.peripheral()
        peripheral.receive(.publicKey(try Self.someKey()))
        peripheral.receive(.pairingRandom(zero))
        #expect(peripheral.manager.isPairing)
        #expect(peripheral.manager.key(diversifier: 0, random: 0) == nil)
        peripheral.encryptionChanged()
        #expect(peripheral.keys == nil)
        #expect(peripheral.manager.isPairing)
    }

    @Test("A wrong DHKey check fails") func wrongCheck() throws {
        var peripheral = ForgedKeyTests.peripheral()
        peripheral.receive(.publicKey(try Self.someKey()))
        peripheral.receive(.pairingRandom(zero))
        peripheral.receive(.dhKeyCheck(zero))
        #expect(peripheral.sentFailures == [.dhKeyCheckFailed])
        #expect(peripheral.manager.key(diversifier: 0, random: 0) == nil)
    }

    @Test("A DHKey check that was changed on the way fails", arguments: [true, false])
    func changedCheck(isToCentral: Bool) {
        var dialogue = PairingDialogue()
        dialogue.tamper = { pdu, isForCentral in
            guard pdu[0] == 0x0D, isForCentral == isToCentral else { return [pdu] }
            return [[0x0D] + pdu.dropFirst().map { $0 ^ 0x80 }]
        }
        dialogue.pair()
        dialogue.expectFailure(.dhKeyCheckFailed, byCentral: isToCentral)
        #expect(dialogue.linkKeys.isEmpty)
    }

    @Test("Capabilities that were changed on the way fail the DHKey check")
    func changedCapabilities() {
        // The attack disables the comparison: DisplayYesNo becomes NoInputNoOutput.
        var dialogue = PairingDialogue(.init(.displayYesNo), .init(.displayYesNo))
        dialogue.tamper = { pdu, _ in
            guard pdu[0] == 0x01 || pdu[0] == 0x02 else { return [pdu] }
            var changed = pdu
            changed[1] = 0x03
            return [changed]
        }
        dialogue.pair()
        dialogue.expectFailure(.dhKeyCheckFailed, byCentral: false)
    }

    /// The first PDU with each code is sent twice.
    @Test(
        "A duplicate PDU before the end fails the pairing",
        arguments: 1...16 as ClosedRange<UInt8>,
        [true, false]
    )
    func duplicatePDU(code: UInt8, isToCentral: Bool) {
        var dialogue = PairingDialogue()
        var didRepeat = false
        dialogue.tamper = { pdu, isForCentral in
            guard pdu[0] == code, isForCentral == isToCentral, !didRepeat else { return [pdu] }
            didRepeat = true
            return [pdu, pdu]
        }
        dialogue.pair()
        let side = isToCentral ? dialogue.central : dialogue.peripheral
        // A duplicate after the end is a violation, but there is no pairing to fail.
        guard didRepeat, side.keys == nil else { return }
        #expect(side.failure != nil)
        #expect(side.violations.count >= 1)
    }

    @Test("Keys before encryption are refused", arguments: [true, false])
    func keysBeforeEncryption(isCentral: Bool) throws {
        let early: [SMP.PDU] = [
            .encryptionInformation(PairingDialogue.key(1)),
            .identityInformation(PairingDialogue.key(1)),
            .identityAddressInformation(DeviceAddress(value: 1, kind: .public)),
            .signingInformation(PairingDialogue.key(1)),
        ]
        for pdu in early {
            var dialogue = PairingDialogue()
            dialogue.central.pair(Pairing.Policy())
            while dialogue.central.actions.allSatisfy({ !$0.isEncrypting }), dialogue.step() {}
            var side = isCentral ? dialogue.central : dialogue.peripheral
            side.receive(pdu)
            #expect(side.failure == .refused(.unspecified))
            side.encryptionChanged()
            #expect(side.keys == nil)
        }
    }

    @Test("PDUs of the other role get Command Not Supported")
    func otherRole() {
        var dialogue = PairingDialogue()
        dialogue.central.receive(.pairingRequest(.secureResponse))
        #expect(dialogue.central.sentFailures == [.commandNotSupported])
        dialogue.peripheral.receive(.securityRequest(.bonding))
        dialogue.peripheral.receive(.pairingResponse(.secureResponse))
        #expect(dialogue.peripheral.sentFailures == [.commandNotSupported, .commandNotSupported])
        #expect(dialogue.central.failure == nil && dialogue.peripheral.failure == nil)
    }

    @Test("An unknown code is ignored") func unknownCode() throws {
        var dialogue = PairingDialogue()
        dialogue.peripheral.receive([0x0F, 1, 2, 3])
        #expect(dialogue.peripheral.actions.count == 1)
        #expect(dialogue.peripheral.violations.count == 1)
        dialogue.central.pair(Pairing.Policy())
        dialogue.central.receive([0x00], now: .zero + .seconds(9))
        #expect(dialogue.central.sentFailures.isEmpty)
        #expect(dialogue.central.manager.nextDeadline == .zero + .seconds(30))
    }

    @Test("A PDU of the wrong length gets Invalid Parameters") func wrongLength() {
        var dialogue = PairingDialogue()
        dialogue.peripheral.receive([0x01, 0x03])
        #expect(dialogue.peripheral.sentFailures == [.invalidParameters])
        #expect(dialogue.peripheral.failure == nil)
        dialogue.central.pair(Pairing.Policy())
        dialogue.central.receive([0x02, 0x03, 0, 0])
        #expect(dialogue.central.failure == .refused(.invalidParameters))
    }

    @Test("Pairing Failed is never answered") func pairingFailed() {
        var dialogue = PairingDialogue()
        for bytes in [[0x05, 0x08], [0x05], [0x05, 0x08, 0x00]] as [[UInt8]] {
            dialogue.central.receive(bytes)
            dialogue.peripheral.receive(bytes)
        }
        #expect(dialogue.central.sent.isEmpty && dialogue.peripheral.sent.isEmpty)
    }

    @Test("A second Pairing Request ends the pairing") func secondRequest() {
        var peripheral = ForgedKeyTests.peripheral()
        peripheral.receive(.pairingRequest(.secureResponse))
        #expect(peripheral.failure == .refused(.unspecified))
        #expect(!peripheral.manager.isPairing)
    }

    @Test("Random PDUs never trap or give keys without encryption", arguments: RunSeed.seeds(64))
    func randomPDUs(seed: UInt64) {
        var noise = SplitMix64(seed: seed)
        var dialogue = PairingDialogue(
            .init(.keyboardDisplay) { $0.allowsLegacyPairing = seed % 2 == 0 },
            .init(.keyboardDisplay),
            seed: seed
        )
        dialogue.tamper = { pdu, _ in
            guard noise.happens(oneIn: 4) else { return [pdu] }
            return [noise.bytes(upTo: 70), pdu]
        }
        dialogue.pair()
        dialogue.peripheral.receive(noise.bytes(upTo: 70))
        let gaveKeys = dialogue.central.keys != nil || dialogue.peripheral.keys != nil
        #expect(!gaveKeys || dialogue.isEncrypted)
    }

    static func someKey() throws -> SMP.PublicKey {
        var generator = SplitMix64(seed: 77)
        return try #require(SMP.KeyPair(using: &generator)).publicKey
    }
}

extension SecurityManager.Action {
    var isEncrypting: Bool {
        if case .encrypt = self { true } else { false }
    }
}
