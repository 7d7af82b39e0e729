// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

// Whole phases, for cases that test another phase.
extension SecurityFixture {
    /// Performs Phase 1. As the peripheral, our side consents if `consents` is `true`.
    mutating func exchangeFeatures(_ features: SMP.PairingFeatures, consents: Bool = true) throws {
        if isCentral {
            application(pairsBy: policy)
            guard case .pairingRequest(let request) = try weSend(.pairingRequest) else { return }
            tester.request = request
            tester.response = features
            tester(sends: .pairingResponse(features))
        } else {
            tester.request = features
            tester(sends: .pairingRequest(features))
            if consents { try consent() }
            guard case .pairingResponse(let response) = try weSend(.pairingResponse) else { return }
            tester.response = response
        }
    }

    mutating func consent() throws {
        application(receives: .ask(.consent))
        application(answers: .yes)
    }

    mutating func exchangePublicKeys() throws {
        if !isCentral { tester(sends: .publicKey(tester.pair.publicKey)) }
        guard case .publicKey(let key) = try weSend(.pairingPublicKey) else { return }
        tester.ourKey = key
        if isCentral { tester(sends: .publicKey(tester.pair.publicKey)) }
    }

    /// Performs Authentication Stage 1 of Just Works and Numeric Comparison. The responder confirms
    /// first.
    mutating func exchangeNonces() throws {
        if isCentral {
            tester(sends: .pairingConfirm(try tester.confirm()))
            try receiveNonce()
            tester(sends: .pairingRandom(tester.nonce))
        } else {
            let confirm = try receiveConfirm()
            tester(sends: .pairingRandom(tester.nonce))
            try receiveNonce()
            #expect(try confirm == tester.ourConfirm())
        }
    }

    mutating func receiveConfirm() throws -> SMP.Value128 {
        guard case .pairingConfirm(let value) = try weSend(.pairingConfirm) else {
            return SMP.Value128()
        }
        return value
    }

    mutating func receiveNonce() throws {
        guard case .pairingRandom(let value) = try weSend(.pairingRandom) else { return }
        tester.ourNonce = value
    }

    /// Performs one round of Passkey Entry.
    mutating func playRound(_ round: Int, passkey: UInt32) throws {
        let z = 0x80 | UInt8(passkey >> UInt32(round) & 1)
        tester.drawNonce()
        if isCentral {
            let confirm = try receiveConfirm()
            tester(sends: .pairingConfirm(try tester.confirm(z)))
            try receiveNonce()
            #expect(try confirm == tester.ourConfirm(z))
            tester(sends: .pairingRandom(tester.nonce))
        } else {
            tester(sends: .pairingConfirm(try tester.confirm(z)))
            let confirm = try receiveConfirm()
            tester(sends: .pairingRandom(tester.nonce))
            try receiveNonce()
            #expect(try confirm == tester.ourConfirm(z))
        }
    }

    /// Performs Authentication Stage 2. The initiator's check is sent first.
    mutating func exchangeChecks(
        testerSecret: SMP.Value128 = SMP.Value128(),
        ourSecret: SMP.Value128 = SMP.Value128()
    ) throws {
        let checks = try tester.checks(testerSecret: testerSecret, ourSecret: ourSecret)
        if !isCentral { tester(sends: .dhKeyCheck(checks.tester)) }
        we(send: .dhKeyCheck(checks.ours))
        if isCentral { tester(sends: .dhKeyCheck(checks.tester)) }
    }

    /// Performs Phase 2 of legacy pairing.
    mutating func confirmLegacy(_ temporaryKey: HCI.Key128) throws {
        if isCentral {
            let confirm = try receiveConfirm()
            tester(sends: .pairingConfirm(try tester.confirm(of: tester.nonce, temporaryKey)))
            try receiveNonce()
            #expect(try confirm == tester.confirm(of: tester.ourNonce, temporaryKey))
            tester(sends: .pairingRandom(tester.nonce))
        } else {
            tester(sends: .pairingConfirm(try tester.confirm(of: tester.nonce, temporaryKey)))
            let confirm = try receiveConfirm()
            tester(sends: .pairingRandom(tester.nonce))
            try receiveNonce()
            #expect(try confirm == tester.confirm(of: tester.ourNonce, temporaryKey))
        }
    }

    /// Encrypts the link with the tester's key.
    mutating func encrypt(
        with key: HCI.Key128,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if isCentral {
            application(receives: .encrypt(LongTermKey(key)), sourceLocation: sourceLocation)
        } else {
            let ours = we.key(diversifier: 0, random: 0)
            #expect(ours == key, sourceLocation: sourceLocation)
        }
        linkIsEncrypted()
    }

    /// Returns the keys of the completed pairing, or throws if it is not complete.
    mutating func paired(
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Pairing.Keys {
        let action = try nextApplicationEvent(sourceLocation: sourceLocation)
        guard case .paired(let keys) = action else {
            Issue.record("not paired: \(action)", sourceLocation: sourceLocation)
            throw Unpaired()
        }
        #expect(!we.isPairing, sourceLocation: sourceLocation)
        return keys
    }

    struct Unpaired: Error {}
}
