// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import LanyardTestSupport
import Testing

/// The fixture of a test of pairing: our Security Manager, a tester with its own computations, the
/// application, and virtual time.
///
/// The methods are the steps of the test. The fixture keeps the PDUs of our side and the events of
/// the application until a step expects them. `expectSilence` checks that none are left.
struct SecurityFixture {
    /// Whether our side is the central.
    let isCentral: Bool
    var we: SecurityManager
    var policy: Pairing.Policy
    var tester: Tester
    var now = Instant.zero

    private var generator: SplitMix64
    private var sent: [SMP.PDU] = []
    private var received: [SecurityManager.Action] = []

    static let ourAddress = DeviceAddress(value: 0xC011_1111_1111, kind: .random)
    static let testerAddress = DeviceAddress(value: 0xC022_2222_2222, kind: .random)
    static let resolvingKey = HCI.Key128([UInt8](repeating: 0x1A, count: 16))

    init(isCentral: Bool, _ policy: Pairing.Policy, seed: UInt64 = 1) throws {
        self.isCentral = isCentral
        self.policy = policy
        generator = SplitMix64(seed: seed)
        tester = try Tester(isCentral: !isCentral, seed: seed)
        we = SecurityManager(
            SecurityManager.Context(
                isCentral: isCentral,
                localAddress: Self.ourAddress,
                peerAddress: Self.testerAddress,
                identity: Pairing.LocalIdentity(
                    address: Self.ourAddress,
                    resolvingKey: try #require(Self.resolvingKey)
                )
            )
        )
        we.policyForPeer = policy
    }
}

// The steps of a test.
extension SecurityFixture {
    mutating func tester(sends pdu: SMP.PDU) { tester(sendsBytes: pdu.encode()) }

    mutating func tester(sendsBytes bytes: [UInt8]) {
        take(we.receive(bytes[...], using: &generator, now: now))
    }

    mutating func application(pairsBy policy: Pairing.Policy) {
        take(we.pair(policy, using: &generator, now: now))
    }

    mutating func application(answers answer: Pairing.Answer) {
        take(we.answer(answer, using: &generator, now: now))
    }

    mutating func linkIsEncrypted(_ isEncrypted: Bool = true) {
        take(we.encryptionChanged(isEncrypted: isEncrypted, using: &generator, now: now))
    }

    /// Advances the time, and handles a deadline that has passed.
    mutating func wait(_ duration: Duration) {
        now = now + duration
        guard let deadline = we.nextDeadline, deadline <= now else { return }
        take(we.deadlinePassed(now: now))
    }

    /// Expects this PDU next from our side.
    mutating func we(send pdu: SMP.PDU, sourceLocation: SourceLocation = #_sourceLocation) {
        let next = sent.isEmpty ? nil : sent.removeFirst()
        #expect(next == pdu, "the next PDU of our side", sourceLocation: sourceLocation)
    }

    /// Returns the next PDU of our side, or throws if it does not have this code.
    mutating func weSend(
        _ code: SMP.Code,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SMP.PDU {
        let next = sent.isEmpty ? nil : sent.removeFirst()
        let pdu = try #require(next, "our side sends no PDU", sourceLocation: sourceLocation)
        try #require(pdu.code == code, "the next PDU of our side", sourceLocation: sourceLocation)
        return pdu
    }

    /// Expects this event next at the application.
    mutating func application(
        receives action: SecurityManager.Action,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let next = received.isEmpty ? nil : received.removeFirst()
        #expect(next == action, "the next event of the application", sourceLocation: sourceLocation)
    }

    /// Returns the next event of the application, or throws if there is none.
    mutating func nextApplicationEvent(
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SecurityManager.Action {
        try #require(
            !received.isEmpty,
            "the application gets no event",
            sourceLocation: sourceLocation
        )
        return received.removeFirst()
    }

    /// Expects that our side refuses for this reason, and that the application gets the failure.
    mutating func weRefuse(
        _ reason: Pairing.FailureReason,
        as failure: Pairing.Failure? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        we(send: .failed(reason), sourceLocation: sourceLocation)
        application(receives: .failed(failure ?? .refused(reason)), sourceLocation: sourceLocation)
        #expect(!we.isPairing, sourceLocation: sourceLocation)
    }

    func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(sent.isEmpty, "no other PDU of our side", sourceLocation: sourceLocation)
        #expect(
            received.isEmpty,
            "no other event of the application",
            sourceLocation: sourceLocation
        )
    }

    /// Collects actions. Reports of violations by the tester are dropped, because the tests check
    /// the consequences of a violation.
    private mutating func take(_ actions: [SecurityManager.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes):
                do { sent.append(try SMP.PDU(parsing: bytes[...])) } catch { Issue.record(error) }
            case .violated, .begun: break
            default: received.append(action)
            }
        }
    }
}
