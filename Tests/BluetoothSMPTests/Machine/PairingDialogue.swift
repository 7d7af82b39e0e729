// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import Testing

/// Two Security Managers on one link, with two users, and controllers that encrypt if both sides
/// have the same key.
struct PairingDialogue {
    /// The maximum number of steps. No pairing has as many.
    static let stepLimit = 400

    var central: PairingSide
    var peripheral: PairingSide
    /// Whether the last encryption succeeded, because both sides had the same key.
    var isEncrypted = false
    /// The keys with which the central has requested encryption.
    var linkKeys: [HCI.Key128] = []
    /// Changes a PDU on its way to a side. The default delivers it unchanged.
    var tamper: (_ pdu: [UInt8], _ isToCentral: Bool) -> [[UInt8]] = { pdu, _ in [pdu] }

    /// Creates a dialogue with these policies.
    ///
    /// - Parameters:
    ///   - policy: The central's policy for its own and the peer's requests.
    ///   - other: The peripheral's policy.
    init(
        _ policy: Pairing.Policy = Pairing.Policy(),
        _ other: Pairing.Policy = Pairing.Policy(),
        seed: UInt64 = 1
    ) {
        let addresses = [
            DeviceAddress(value: 0x4A_0000_0000_01, kind: .random),
            DeviceAddress(value: 0x0000_0000_0002, kind: .public),
        ]
        central = PairingSide(Self.context(isCentral: true, addresses), seed: seed)
        peripheral = PairingSide(Self.context(isCentral: false, addresses), seed: seed &+ 1000)
        central.manager.policyForPeer = policy
        peripheral.manager.policyForPeer = other
    }

    private static func context(
        isCentral: Bool,
        _ addresses: [DeviceAddress]
    ) -> SecurityManager.Context {
        let number: UInt8 = isCentral ? 1 : 2
        return SecurityManager.Context(
            isCentral: isCentral,
            localAddress: addresses[isCentral ? 0 : 1],
            peerAddress: addresses[isCentral ? 1 : 0],
            identity: Pairing.LocalIdentity(
                address: DeviceAddress(value: 0xC000_0000_0000 | UInt64(number), kind: .random),
                resolvingKey: key(number)
            )
        )
    }

    static func key(_ byte: UInt8) -> HCI.Key128 {
        HCI.Key128([UInt8](repeating: byte, count: 16)) ?? HCI.Key128(passkey: 0)
    }

    /// Starts a pairing at the central with its policy for the peer, and runs it to its end.
    mutating func pair(now: Instant = .zero) {
        central.pair(central.manager.policyForPeer ?? Pairing.Policy(), now: now)
        run(now: now)
    }

    /// Delivers, answers and encrypts until no step is left.
    mutating func run(now: Instant = .zero) {
        var steps = 0
        while steps < Self.stepLimit, step(now: now) { steps += 1 }
        #expect(steps < Self.stepLimit, "The pairing does not end")
    }

    /// Performs one step. Returns `false` if there is none.
    mutating func step(now: Instant = .zero) -> Bool {
        if encrypt(now: now) { return true }
        if !peripheral.outbox.isEmpty {
            let pdus = tamper(peripheral.outbox.removeFirst(), true)
            for pdu in pdus { central.receive(pdu, now: now) }
            return true
        }
        if !central.outbox.isEmpty {
            let pdus = tamper(central.outbox.removeFirst(), false)
            for pdu in pdus { peripheral.receive(pdu, now: now) }
            return true
        }
        return answer(\.central, now: now) || answer(\.peripheral, now: now)
    }

    private mutating func answer(
        _ side: WritableKeyPath<PairingDialogue, PairingSide>,
        now: Instant
    ) -> Bool {
        guard !self[keyPath: side].open.isEmpty else { return false }
        let question = self[keyPath: side].open.removeFirst()
        guard let answer = self[keyPath: side].answer(question) else { return false }
        self[keyPath: side].answer(answer, now: now)
        return true
    }

    private mutating func encrypt(now: Instant) -> Bool {
        let keys = central.actions.compactMap {
            if case .encrypt(let key) = $0 { key } else { nil }
        }
        // Each encryption that the central requests is performed once.
        guard keys.count > linkKeys.count, let key = keys.last else { return false }
        linkKeys.append(key.value)
        isEncrypted =
            peripheral.manager.key(diversifier: key.diversifier, random: key.random) == key.value
        peripheral.encryptionChanged(isEncrypted: isEncrypted, now: now)
        central.encryptionChanged(isEncrypted: isEncrypted, now: now)
        return true
    }
}

extension PairingDialogue {
    /// Checks that both sides have paired with matching keys, and that the link is encrypted.
    func expectSuccess(
        _ method: Pairing.Method,
        _ other: Pairing.Method? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let one = try #require(central.keys, sourceLocation: location)
        let two = try #require(peripheral.keys, sourceLocation: location)
        #expect(central.failure == nil && peripheral.failure == nil, sourceLocation: location)
        #expect(!central.manager.isPairing && !peripheral.manager.isPairing)
        #expect(isEncrypted, sourceLocation: location)
        #expect(one.method == method, sourceLocation: location)
        #expect(two.method == other ?? method, sourceLocation: location)
        #expect(one.peerKey == two.localKey, sourceLocation: location)
        #expect(one.localKey == two.peerKey, sourceLocation: location)
        #expect(one.keySize == two.keySize, sourceLocation: location)
        #expect(one.usesSecureConnections == two.usesSecureConnections)
        #expect(one.isBonded == two.isBonded, sourceLocation: location)
        #expect(one.localSigningKey == two.peerSigningKey, sourceLocation: location)
        #expect(one.peerSigningKey == two.localSigningKey, sourceLocation: location)
        #expect(central.violations.isEmpty && peripheral.violations.isEmpty)
    }

    /// Checks that both sides have failed, one side because its peer refused.
    func expectFailure(
        _ reason: Pairing.FailureReason,
        byCentral isByCentral: Bool,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let refuser = isByCentral ? central : peripheral
        let other = isByCentral ? peripheral : central
        #expect(refuser.failure == .refused(reason), sourceLocation: location)
        #expect(refuser.sentFailures == [reason], sourceLocation: location)
        #expect(other.failure == .refusedByPeer(reason), sourceLocation: location)
        #expect(other.sentFailures.isEmpty, sourceLocation: location)
        #expect(central.keys == nil && peripheral.keys == nil, sourceLocation: location)
        #expect(!central.manager.isPairing && !peripheral.manager.isPairing)
    }
}

extension Pairing.Policy {
    init(
        _ ioCapability: Pairing.IOCapability,
        _ change: (inout Pairing.Policy) -> Void = { _ in }
    ) {
        self.init()
        self.ioCapability = ioCapability
        change(&self)
    }

    /// Returns the policy of a device with legacy pairing only.
    static func legacy(
        _ ioCapability: Pairing.IOCapability = .noInputNoOutput,
        _ change: (inout Pairing.Policy) -> Void = { _ in }
    ) -> Pairing.Policy {
        Pairing.Policy(ioCapability) {
            $0.usesSecureConnections = false
            $0.allowsLegacyPairing = true
            change(&$0)
        }
    }
}
