// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

/// The tester's values of a pairing, and the results of the formulas of Vol 3, Part H, 2.3.5.5 and
/// 2.3.5.6, with the initiator's values first.
struct Tester {
    let isCentral: Bool
    var pair: SMP.KeyPair
    /// The random number of the tester, which `drawNonce` replaces.
    var nonce: SMP.Value128
    var ourKey: SMP.PublicKey?
    var ourNonce = SMP.Value128()
    var request: SMP.PairingFeatures?
    var response: SMP.PairingFeatures?
    private(set) var generator: SplitMix64

    init(isCentral: Bool, seed: UInt64) throws {
        self.isCentral = isCentral
        generator = SplitMix64(seed: seed &+ 0x7E57)
        pair = try #require(SMP.KeyPair(using: &generator))
        nonce = SMP.Value128(using: &generator)
    }

    mutating func drawNonce() { nonce = SMP.Value128(using: &generator) }

    private var initiator: DeviceAddress {
        isCentral ? SecurityFixture.testerAddress : SecurityFixture.ourAddress
    }

    private var responder: DeviceAddress {
        isCentral ? SecurityFixture.ourAddress : SecurityFixture.testerAddress
    }

    /// Orders two values, the tester's and ours, as the initiator's and the responder's.
    private func ordered<Value>(_ tester: Value, _ ours: Value) -> (Value, Value) {
        isCentral ? (tester, ours) : (ours, tester)
    }
}

// LE Secure Connections.
extension Tester {
    /// Returns the tester's confirm value.
    func confirm(_ z: UInt8 = 0) throws -> SMP.Value128 {
        SMP.Toolbox.f4(pair.publicKey.x, try #require(ourKey).x, nonce, z)
    }

    /// Returns the confirm value that our side must have sent.
    func ourConfirm(_ z: UInt8 = 0) throws -> SMP.Value128 {
        SMP.Toolbox.f4(try #require(ourKey).x, pair.publicKey.x, ourNonce, z)
    }

    /// Returns the six digits for the comparison.
    func digits() throws -> UInt32 {
        let (u, v) = ordered(pair.publicKey.x, try #require(ourKey).x)
        let (x, y) = ordered(nonce, ourNonce)
        return SMP.Toolbox.digits(of: SMP.Toolbox.g2(u, v, x, y))
    }

    func keys() throws -> (checkKey: HCI.Key128, longTermKey: HCI.Key128) {
        let ourKey = try #require(ourKey)
        let secret = try #require(pair.sharedSecret(with: ourKey))
        let (first, second) = ordered(nonce, ourNonce)
        return SMP.Toolbox.f5(secret, first, second, initiator, responder)
    }

    /// Returns the tester's check and ours. Each includes the secret that the *other* side has
    /// shared before.
    func checks(
        testerSecret: SMP.Value128 = SMP.Value128(),
        ourSecret: SMP.Value128 = SMP.Value128()
    ) throws -> (tester: SMP.Value128, ours: SMP.Value128) {
        let key = try keys().checkKey
        let request = try #require(request)
        let response = try #require(response)
        let (features, ourFeatures) = isCentral ? (request, response) : (response, request)
        let (own, ours) = (SecurityFixture.testerAddress, SecurityFixture.ourAddress)
        return (
            SMP.Toolbox.f6(key, nonce, ourNonce, ourSecret, features, own, ours),
            SMP.Toolbox.f6(key, ourNonce, nonce, testerSecret, ourFeatures, ours, own)
        )
    }
}

// Legacy pairing.
extension Tester {
    /// Returns the confirm value of a random number of either side.
    func confirm(of number: SMP.Value128, _ temporaryKey: HCI.Key128) throws -> SMP.Value128 {
        SMP.Toolbox.c1(
            temporaryKey,
            number,
            request: try #require(request),
            response: try #require(response),
            initiator: initiator,
            responder: responder
        )
    }

    func shortTermKey(_ temporaryKey: HCI.Key128) -> HCI.Key128 {
        let (first, second) = ordered(nonce, ourNonce)
        return SMP.Toolbox.s1(temporaryKey, responder: second, initiator: first)
    }
}
