// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothSMP

/// A combination of two devices. `all` has every pair of capabilities, with LE Secure Connections
/// and legacy pairing, with and without the requirement of protection on either side, started by
/// either side.
struct DevicePair: Sendable, CustomTestStringConvertible {
    var initiator: Pairing.IOCapability
    var responder: Pairing.IOCapability
    var usesSecureConnections: Bool
    var initiatorDemands: Bool
    var responderDemands: Bool
    var isBegunByPeripheral: Bool

    static let all: [DevicePair] = flags.flatMap { flags in
        Pairing.IOCapability.allCases.flatMap { initiator in
            Pairing.IOCapability.allCases.map { responder in
                DevicePair(
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

    func policy(_ end: PairingModel.End) -> Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = end == .central ? initiator : responder
        policy.requiresAuthentication = end == .central ? initiatorDemands : responderDemands
        policy.prefersAuthentication = false
        policy.allowsLegacyPairing = !usesSecureConnections
        policy.usesSecureConnections = usesSecureConnections
        return policy
    }

    /// Returns the method of the table for one end.
    func method(seenBy end: PairingModel.End) -> Pairing.Method {
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

    func run() -> PairingModel {
        var model = PairingModel(central: policy(.central), peripheral: policy(.peripheral))
        model.begin(isBegunByPeripheral ? .peripheral : .central)
        model.drive()
        return model
    }
}

@Suite("Association models")
struct MatrixTests {
    @Test("The pairing uses the method of the table or fails", arguments: DevicePair.all)
    func method(_ devices: DevicePair) throws {
        let model = devices.run()
        guard !devices.isRefused else { return expectRefusal(model) }
        let central = try model.keys(.central)
        let peripheral = try model.keys(.peripheral)
        #expect(central.method == devices.method(seenBy: .central))
        #expect(peripheral.method == devices.method(seenBy: .peripheral))
        expectSameKeys(central, peripheral)
        #expect(central.usesSecureConnections == devices.usesSecureConnections)
        #expect(model.violations.isEmpty)
        #expect(model.questions.isEmpty)
    }

    private func expectRefusal(_ model: PairingModel) {
        let allowed: [Pairing.Failure] = [
            .refused(.authenticationRequirements), .refusedByPeer(.authenticationRequirements),
        ]
        var failures: [Pairing.Failure] = []
        for (end, outcome) in model.outcomes {
            switch outcome {
            case .success: Issue.record("\(end) has paired")
            case .failure(let failure): failures.append(failure)
            }
        }
        #expect(!failures.isEmpty && failures.allSatisfy(allowed.contains))
        #expect(model.isEncrypted.values.allSatisfy { !$0 })
        // A Security Request may stay unanswered (2.4.6). Every other pairing has ended.
        for machine in model.machines.values where machine.isPairing {
            #expect(model.transcript.map(\.code) == [.securityRequest])
        }
    }

    private func expectSameKeys(_ central: Pairing.Keys, _ peripheral: Pairing.Keys) {
        #expect(central.peerKey != nil && central.peerKey == peripheral.localKey)
        #expect(central.localKey != nil && central.localKey == peripheral.peerKey)
        #expect(central.keySize == 16 && peripheral.keySize == 16)
        #expect(central.isBonded && peripheral.isBonded)
        #expect(central.peerIdentity == PairingModel.identities[.peripheral])
        #expect(peripheral.peerIdentity == PairingModel.identities[.central])
        #expect(
            central.peerResolvingKey == PairingModel.context(.peripheral).identity.resolvingKey
        )
        #expect(
            peripheral.peerResolvingKey == PairingModel.context(.central).identity.resolvingKey
        )
        #expect(central.localSigningKey != nil)
        #expect(central.localSigningKey == peripheral.peerSigningKey)
        #expect(central.peerSigningKey != nil)
        #expect(central.peerSigningKey == peripheral.localSigningKey)
        #expect(!central.usedDebugKey && !peripheral.usedDebugKey)
    }

    @Test("The matrix contains every combination once")
    func whole() {
        #expect(DevicePair.all.count == 16 * 25)
        #expect(Set(DevicePair.all.map(\.testDescription)).count == DevicePair.all.count)
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
        var model = PairingModel(central: central, peripheral: peripheral)
        model.begin(.central)
        model.drive()
        let expected = MethodTable.method(
            initiator: initiator,
            responder: responder,
            usesSecureConnections: true,
            isProtected: true,
            seenBy: .central
        )
        #expect(try model.keys(.central).method == expected)
    }

    @Test(
        "The shorter key size is used if both sides allow it",
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
        var model = PairingModel(central: central, peripheral: peripheral)
        model.begin(.central)
        model.drive()
        let size = min(initiator, responder)
        guard size >= 10 else {
            #expect(model.outcomes[.central] == .failure(.refused(.encryptionKeySize)))
            #expect(
                model.outcomes[.peripheral] == .failure(.refusedByPeer(.encryptionKeySize))
            )
            return
        }
        let keys = try model.keys(.central)
        #expect(keys.keySize == size)
        #expect(keys.peerKey?.value.bytes.suffix(16 - size).allSatisfy { $0 == 0 } == true)
        #expect(try model.keys(.peripheral).localKey == keys.peerKey)
    }
}
