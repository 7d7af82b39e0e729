// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

/// Two Security Managers that pair by LE Secure Connections in memory, without a controller and a
/// radio.
struct PairingRun {
    /// More PDUs than any pairing takes.
    private static let stepLimit = 200

    static let kinds: [(String, Pairing.IOCapability)] = [
        ("Just Works", .noInputNoOutput), ("Numeric Comparison", .displayYesNo),
        ("Passkey Entry", .keyboardOnly),
    ]

    private var central: SecurityManager
    private var peripheral: SecurityManager
    private var policy = Pairing.Policy()
    private var generator: Splitting
    private var air: [(isToCentral: Bool, bytes: [UInt8])] = []
    private var pairedCount = 0

    init(_ capability: Pairing.IOCapability, seed: UInt64) {
        policy.ioCapability = capability
        generator = Splitting(state: seed)
        central = SecurityManager(Self.context(isCentral: true))
        peripheral = SecurityManager(Self.context(isCentral: false))
        peripheral.policyForPeer = policy
    }

    private static func context(isCentral: Bool) -> SecurityManager.Context {
        let addresses = [0xC000_0000_0001, 0xC000_0000_0002].map {
            DeviceAddress(value: $0, kind: .random)
        }
        let own = isCentral ? addresses[0] : addresses[1]
        return SecurityManager.Context(
            isCentral: isCentral,
            localAddress: own,
            peerAddress: isCentral ? addresses[1] : addresses[0],
            identity: Pairing.LocalIdentity(address: own, resolvingKey: HCI.Key128(passkey: 1))
        )
    }

    /// Performs the expensive cryptography of one pairing: a key pair and a shared secret on either
    /// side.
    mutating func agreeTwice() -> Bool {
        guard let one = SMP.KeyPair(using: &generator), let other = SMP.KeyPair(using: &generator)
        else { return false }
        let secret = one.sharedSecret(with: other.publicKey)
        return secret != nil && secret == other.sharedSecret(with: one.publicKey)
    }

    /// Pairs from the request to the last key. Returns `false` if it fails.
    mutating func pair() -> Bool {
        perform(central.pair(policy, using: &generator, now: .zero), isCentral: true)
        for _ in 0..<Self.stepLimit where !air.isEmpty {
            let (isToCentral, bytes) = air.removeFirst()
            let actions =
                isToCentral
                ? central.receive(bytes[...], using: &generator, now: .zero)
                : peripheral.receive(bytes[...], using: &generator, now: .zero)
            perform(actions, isCentral: isToCentral)
        }
        return pairedCount == 2
    }

    private mutating func perform(_ actions: [SecurityManager.Action], isCentral: Bool) {
        for action in actions {
            switch action {
            case .send(let bytes): air.append((!isCentral, bytes))
            case .ask(.consent), .ask(.confirm): answer(.yes, isCentral: isCentral)
            case .ask(.enterPasskey): answer(.passkey(123_456), isCentral: isCentral)
            case .encrypt: encrypt()
            case .paired: pairedCount += 1
            default: break
            }
        }
    }

    private mutating func answer(_ answer: Pairing.Answer, isCentral: Bool) {
        let actions =
            isCentral
            ? central.answer(answer, using: &generator, now: .zero)
            : peripheral.answer(answer, using: &generator, now: .zero)
        perform(actions, isCentral: isCentral)
    }

    private mutating func encrypt() {
        let peripheralActions = peripheral.encryptionChanged(
            isEncrypted: true,
            using: &generator,
            now: .zero
        )
        perform(peripheralActions, isCentral: false)
        let centralActions = central.encryptionChanged(
            isEncrypted: true,
            using: &generator,
            now: .zero
        )
        perform(centralActions, isCentral: true)
    }
}

/// A generator at almost no cost (Steele, Lea and Flood, 2014).
private struct Splitting: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
