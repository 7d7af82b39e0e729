// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothSMP

/// A combination of two devices: every pair of capabilities, with LE Secure Connections and legacy
/// pairing, with and without the requirement of protection on either side, started by either side.
struct Meeting: Sendable, CustomTestStringConvertible {
    var initiator: Pairing.IOCapability
    var responder: Pairing.IOCapability
    var usesSecureConnections: Bool
    var initiatorDemands: Bool
    var responderDemands: Bool
    var isBegunByPeripheral: Bool

    static let all: [Meeting] = flags.flatMap { flags in
        Pairing.IOCapability.allCases.flatMap { initiator in
            Pairing.IOCapability.allCases.map { responder in
                Meeting(
                    initiator: initiator,
                    responder: responder,
                    usesSecureConnections: flags & 1 != 0,
                    initiatorDemands: flags & 2 != 0,
                    responderDemands: flags & 4 != 0,
                    isBegunByPeripheral: flags & 8 != 0
                )
            }
        }
    }

    private static let flags = 0..<16

    var testDescription: String {
        let kind = usesSecureConnections ? "SC" : "legacy"
        let initiatorMark = initiatorDemands ? "!" : ""
        let responderMark = responderDemands ? "!" : ""
        let beginner = isBegunByPeripheral ? ", begun by the Peripheral" : ""
        return "\(initiator)\(initiatorMark) - \(responder)\(responderMark), \(kind)\(beginner)"
    }

    func policy(_ end: Encounter.End) -> Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = end == .central ? initiator : responder
        policy.requiresAuthentication = end == .central ? initiatorDemands : responderDemands
        policy.prefersAuthentication = false
        policy.allowsLegacyPairing = !usesSecureConnections
        policy.usesSecureConnections = usesSecureConnections
        return policy
    }

    /// Returns the method of the table for one end.
    func method(seenBy end: Encounter.End) -> Pairing.Method {
        MethodTable.method(
            initiator: initiator,
            responder: responder,
            usesSecureConnections: usesSecureConnections,
            isProtected: initiatorDemands || responderDemands,
            seenBy: end
        )
    }

    /// Whether a side requires protection that the table does not provide.
    var isRefused: Bool {
        (initiatorDemands || responderDemands) && method(seenBy: .central) == .justWorks
    }

    func play() -> Encounter {
        var encounter = Encounter(central: policy(.central), peripheral: policy(.peripheral))
        encounter.begin(isBegunByPeripheral ? .peripheral : .central)
        encounter.drive()
        return encounter
    }
}

@Suite("Association models")
struct MatrixTests {
    @Test("The pairing uses the method of the table or fails", arguments: Meeting.all)
    func method(_ meeting: Meeting) throws {
        let encounter = meeting.play()
        guard !meeting.isRefused else { return expectRefusal(encounter) }
        let central = try encounter.keys(.central)
        let peripheral = try encounter.keys(.peripheral)
        #expect(central.method == meeting.method(seenBy: .central))
        #expect(peripheral.method == meeting.method(seenBy: .peripheral))
        expectSameKeys(central, peripheral)
        #expect(central.usesSecureConnections == meeting.usesSecureConnections)
        #expect(encounter.violations.isEmpty)
        #expect(encounter.questions.isEmpty)
    }

    private func expectRefusal(_ encounter: Encounter) {
        let allowed: [Pairing.Failure] = [
            .refused(.authenticationRequirements), .refusedByPeer(.authenticationRequirements),
        ]
        var failures: [Pairing.Failure] = []
        for (end, outcome) in encounter.outcomes {
            switch outcome {
            case .success: Issue.record("\(end) has paired")
            case .failure(let failure): failures.append(failure)
            }
        }
        #expect(!failures.isEmpty && failures.allSatisfy(allowed.contains))
        #expect(encounter.isEncrypted.values.allSatisfy { !$0 })
        // A Security Request may stay unanswered (2.4.6). Every other pairing has ended.
        for machine in encounter.machines.values where machine.isPairing {
            #expect(encounter.transcript.map(\.code) == [.securityRequest])
        }
    }

    private func expectSameKeys(_ central: Pairing.Keys, _ peripheral: Pairing.Keys) {
        #expect(central.peerKey != nil && central.peerKey == peripheral.localKey)
        #expect(central.localKey != nil && central.localKey == peripheral.peerKey)
        #expect(central.keySize == 16 && peripheral.keySize == 16)
        #expect(central.isBonded && peripheral.isBonded)
        #expect(central.peerIdentity == Encounter.identities[.peripheral])
        #expect(peripheral.peerIdentity == Encounter.identities[.central])
        #expect(
            central.peerResolvingKey == Encounter.context(.peripheral).identity.resolvingKey
        )
        #expect(
            peripheral.peerResolvingKey == Encounter.context(.central).identity.resolvingKey
        )
        #expect(central.localSigningKey != nil)
        #expect(central.localSigningKey == peripheral.peerSigningKey)
        #expect(central.peerSigningKey != nil)
        #expect(central.peerSigningKey == peripheral.localSigningKey)
        #expect(!central.usedDebugKey && !peripheral.usedDebugKey)
    }

    @Test("The matrix contains every combination once")
    func whole() {
        #expect(Meeting.all.count == 16 * 25)
        #expect(Set(Meeting.all.map(\.testDescription)).count == Meeting.all.count)
    }

    @Test(
        "Without a requirement, protection is used where the capabilities allow it",
        arguments: Pairing.IOCapability.allCases,
        Pairing.IOCapability.allCases
    )
    func preference(
        initiator: Pairing.IOCapability,
        responder: Pairing.IOCapability
    ) throws {
        var central = Pairing.Policy()
        central.ioCapability = initiator
        var peripheral = Pairing.Policy()
        peripheral.ioCapability = responder
        var encounter = Encounter(central: central, peripheral: peripheral)
        encounter.begin(.central)
        encounter.drive()
        let expected = MethodTable.method(
            initiator: initiator,
            responder: responder,
            usesSecureConnections: true,
            isProtected: true,
            seenBy: .central
        )
        #expect(try encounter.keys(.central).method == expected)
    }

    @Test(
        "The shorter of both key sizes is used, if both sides allow it",
        arguments: 7...16,
        7...16
    )
    func keySizes(initiator: Int, responder: Int) throws {
        var central = Pairing.Policy()
        central.maximumKeySize = initiator
        central.minimumKeySize = 10
        var peripheral = Pairing.Policy()
        peripheral.maximumKeySize = responder
        peripheral.minimumKeySize = 7
        var encounter = Encounter(central: central, peripheral: peripheral)
        encounter.begin(.central)
        encounter.drive()
        let size = min(initiator, responder)
        guard size >= 10 else {
            #expect(encounter.outcomes[.central] == .failure(.refused(.encryptionKeySize)))
            #expect(
                encounter.outcomes[.peripheral] == .failure(.refusedByPeer(.encryptionKeySize))
            )
            return
        }
        let keys = try encounter.keys(.central)
        #expect(keys.keySize == size)
        #expect(keys.peerKey?.value.bytes.suffix(16 - size).allSatisfy { $0 == 0 } == true)
        #expect(try encounter.keys(.peripheral).localKey == keys.peerKey)
    }
}
