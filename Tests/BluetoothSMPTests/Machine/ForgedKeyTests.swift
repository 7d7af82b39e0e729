// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

/// Invalid, copied and published public keys.
@Suite("Forged public keys")
struct ForgedKeyTests {
    /// Returns a central that has sent its public key, and that key.
    static func central(_ policy: Pairing.Policy = .init()) throws -> (PairingSide, SMP.PublicKey) {
        var dialogue = PairingDialogue(policy)
        dialogue.central.pair(policy)
        dialogue.central.receive(.pairingResponse(.secureResponse))
        guard case .publicKey(let key) = try #require(dialogue.central.sent.last) else {
            throw Missing.publicKey
        }
        return (dialogue.central, key)
    }

    /// Returns a peripheral that waits for the public key.
    static func peripheral(_ policy: Pairing.Policy = .init()) -> PairingSide {
        var dialogue = PairingDialogue(policy, policy)
        dialogue.peripheral.receive(.pairingRequest(.secureResponse))
        dialogue.peripheral.answer(.yes)
        return dialogue.peripheral
    }

    enum Missing: Error { case publicKey }

    @Test("The receiver's own public key is refused") func ownKey() throws {
        var (central, key) = try Self.central()
        central.receive(.publicKey(key))
        #expect(central.failure == .refused(.dhKeyCheckFailed))
        #expect(central.sentFailures == [.dhKeyCheckFailed])
    }

    @Test("The negation of the receiver's own public key is refused")
    func negatedKey() throws {
        var (central, key) = try Self.central()
        central.receive(.publicKey(.init(x: key.x, y: try #require(Self.negated(key.y)))))
        #expect(central.failure == .refused(.dhKeyCheckFailed))
    }

    @Test("The public key of the responder's own out-of-band data is refused")
    func ownOutOfBandKey() throws {
        let data = try OutOfBandTests.made(seed: 1)
        var policy = Pairing.Policy()
        policy.localOutOfBandData = data
        var first = Self.peripheral(policy)
        var generator = SplitMix64(seed: 9)
        first.receive(.publicKey(try #require(SMP.KeyPair(using: &generator)).publicKey))
        let key = try #require(
            first.sent.compactMap { if case .publicKey(let key) = $0 { key } else { nil } }.first
        )
        for y in [key.y, try #require(Self.negated(key.y))] {
            var second = Self.peripheral(policy)
            second.receive(.publicKey(.init(x: key.x, y: y)))
            #expect(second.failure == .refused(.dhKeyCheckFailed))
            #expect(!second.sent.contains { $0.code == .pairingPublicKey })
        }
    }

    @Test("A key that is not a point of the curve is refused", arguments: [true, false])
    func invalidPoint(isCentral: Bool) throws {
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let one = [1] + [UInt8](repeating: 0, count: 31)
        let zero = [UInt8](repeating: 0, count: 32)
        for (x, y) in [(zero, zero), (one, one), (ones, ones), (zero, one), (ones, one)] {
            let key = SMP.PublicKey(
                x: try #require(HCI.Coordinate256(x)),
                y: try #require(HCI.Coordinate256(y))
            )
            var side = isCentral ? try Self.central().0 : Self.peripheral()
            side.receive(.publicKey(key))
            #expect(side.failure == .refused(.dhKeyCheckFailed))
            #expect(side.sentFailures == [.dhKeyCheckFailed])
        }
    }

    @Test("The published debug key is refused", arguments: [true, false])
    func debugKeyRefused(isCentral: Bool) throws {
        let debug = try #require(SMP.KeyPair.debug?.publicKey)
        for y in [debug.y, try #require(Self.negated(debug.y))] {
            var side = isCentral ? try Self.central().0 : Self.peripheral()
            side.receive(.publicKey(.init(x: debug.x, y: y)))
            #expect(side.failure == .refused(.authenticationRequirements))
        }
    }

    @Test("The debug key is used if both sides allow it, and creates no bond")
    func debugKeyAllowed() throws {
        let policy = Pairing.Policy(.noInputNoOutput) { $0.usesPublishedDebugKey = true }
        var dialogue = PairingDialogue(policy, policy)
        dialogue.pair()
        try dialogue.expectSuccess(.justWorks)
        #expect(dialogue.central.keys?.usedDebugKey == true)
        #expect(dialogue.central.keys?.isBonded == false)
        #expect(dialogue.peripheral.keys?.usedDebugKey == true)
    }

    @Test("A peer that uses the debug key is refused by default")
    func debuggingPeer() {
        var dialogue = PairingDialogue(.init(.noInputNoOutput) { $0.usesPublishedDebugKey = true })
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: false)
    }

    @Test("A central that does not use the debug key refuses a peripheral that does")
    func debuggingResponder() throws {
        var dialogue = PairingDialogue(
            .init(),
            .init(.noInputNoOutput) { $0.usesPublishedDebugKey = true }
        )
        dialogue.pair()
        dialogue.expectFailure(.authenticationRequirements, byCentral: true)
    }

    /// Returns p - y, the y coordinate of the other point with the same x.
    static func negated(_ y: HCI.Coordinate256) -> HCI.Coordinate256? {
        let prime = [UInt8](
            hexadecimal: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
        )
        guard let prime else { return nil }
        var borrow = 0
        var result: [UInt8] = []
        for (left, right) in zip(prime.reversed(), y.bytes) {
            let difference = Int(left) - Int(right) - borrow
            borrow = difference < 0 ? 1 : 0
            result.append(UInt8(truncatingIfNeeded: difference))
        }
        return HCI.Coordinate256(result)
    }
}

extension SMP.PairingFeatures {
    /// The features of a device with LE Secure Connections and without input or output.
    static let secureResponse = SMP.PairingFeatures(
        ioCapability: .noInputNoOutput,
        requirements: [.bonding, .secureConnections]
    )
}
