// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

/// Every reason in Pairing Failed for a device without BR/EDR (Vol 3, Part H, 3.5.5).
@Suite("Every reason in Pairing Failed")
struct FailureReasonTests {
    private func script(_ name: String) throws -> PairingScript {
        try #require(PairingScript.all.first { $0.testDescription == name })
    }

    /// Changes a pairing with the script, and expects that `end` sends the reason to the other end.
    private func expect(
        _ reason: Pairing.FailureReason,
        sentBy end: PairingModel.End,
        as failure: Pairing.Failure? = nil,
        in script: PairingScript,
        _ change: (inout PairingModel) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var model = PairingModel(central: script.central, peripheral: script.peripheral)
        change(&model)
        model.begin(.central)
        model.drive()
        let outcome = model.outcomes[end]
        #expect(outcome == .failure(failure ?? .refused(reason)), sourceLocation: sourceLocation)
        let otherOutcome = model.outcomes[end.other]
        #expect(otherOutcome == .failure(.refusedByPeer(reason)), sourceLocation: sourceLocation)
        for machine in model.machines.values {
            #expect(!machine.isPairing, sourceLocation: sourceLocation)
        }
        #expect(model.questions.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(
        "Passkey Entry Failed (0x01): the user does not enter the passkey",
        arguments: [
            ("SC, passkey displayed", PairingModel.End.peripheral),
            ("SC, passkey entered", .central),
            ("legacy, passkey displayed", .peripheral), ("legacy, passkey entered", .central),
        ]
    )
    func passkeyEntryFailed(name: String, end: PairingModel.End) throws {
        expect(.passkeyEntryFailed, sentBy: end, as: .declined, in: try script(name)) {
            $0.people.behaviors[end] = .refusing
        }
    }

    @Test("OOB Not Available (0x02): the peer claims to have data that was never made")
    func outOfBandNotAvailable() throws {
        var script = try script("SC, out of band")
        script.peripheral.localOutOfBandData = nil
        expect(.outOfBandDataNotAvailable, sentBy: .peripheral, in: script) { _ in }
        var other = try self.script("SC, out of band")
        other.central.localOutOfBandData = nil
        expect(.outOfBandDataNotAvailable, sentBy: .central, in: other) { _ in }
    }

    @Test(
        "Authentication Requirements (0x03): the other side cannot meet a requirement",
        arguments: PairingModel.End.allCases
    )
    func authenticationRequirements(end: PairingModel.End) throws {
        var script = try script("SC, numeric comparison")
        if end == .central {
            script.peripheral.ioCapability = .noInputNoOutput
            script.peripheral.requiresAuthentication = false
        } else {
            script.central.ioCapability = .noInputNoOutput
            script.central.requiresAuthentication = false
        }
        expect(.authenticationRequirements, sentBy: end, in: script) { _ in }
    }

    @Test(
        "Authentication Requirements (0x03): legacy pairing is not allowed",
        arguments: PairingModel.End.allCases
    )
    func legacyRefused(end: PairingModel.End) throws {
        var script = try script("SC, just works")
        if end == .central {
            script.peripheral.usesSecureConnections = false
            script.peripheral.allowsLegacyPairing = true
        } else {
            script.central.usesSecureConnections = false
            script.central.allowsLegacyPairing = true
        }
        expect(.authenticationRequirements, sentBy: end, in: script) { _ in }
    }

    @Test(
        "Authentication Requirements (0x03): the new bond is weaker than the existing one",
        arguments: PairingModel.End.allCases
    )
    func weakerBond(end: PairingModel.End) throws {
        expect(.authenticationRequirements, sentBy: end, in: try script("SC, just works")) {
            // The end's own capabilities suffice, but the capabilities of the peer do not.
            $0.policies[end]?.ioCapability = .keyboardDisplay
            $0.policies[end.other]?.ioCapability = .noInputNoOutput
            $0.machines[end]?.policyForPeer?.ioCapability = .keyboardDisplay
            $0.machines[end.other]?.policyForPeer?.ioCapability = .noInputNoOutput
            $0.machines[end]?.existingBond = LinkSecurity(
                isEncrypted: true,
                isAuthenticated: true,
                usesSecureConnections: true,
                keySize: 16,
                isBonded: true
            )
        }
    }

    @Test(
        "Confirm Value Failed (0x04): a wrong passkey",
        arguments: ["SC, passkey displayed", "legacy, passkey displayed"]
    )
    func wrongPasskey(name: String) throws {
        expect(.confirmValueFailed, sentBy: .peripheral, in: try script(name)) {
            $0.people.behaviors[.peripheral] = .mistaken
        }
    }

    @Test(
        "Confirm Value Failed (0x04): a random number that does not match",
        arguments: ["SC, just works", "SC, numeric comparison", "legacy, just works"]
    )
    func turnedRandom(name: String) throws {
        expect(.confirmValueFailed, sentBy: .central, in: try script(name)) {
            $0.tamper = Self.turningBit(of: .pairingRandom, to: .central)
        }
    }

    @Test("Confirm Value Failed (0x04): a public key that does not match the tag")
    func wrongTag() throws {
        var script = try script("SC, out of band")
        let data = try #require(script.central.peerOutOfBandData)
        var confirmation = try #require(data.confirmation)
        confirmation[0] ^= 1
        script.central.peerOutOfBandData = try .init(
            confirmation: confirmation,
            random: data.random
        )
        expect(.confirmValueFailed, sentBy: .central, in: script) { _ in }
    }

    @Test("Pairing Not Supported (0x05): no policy for peers")
    func notSupported() throws {
        var model = PairingModel(central: try script("SC, just works").central, peripheral: .init())
        model.machines[.peripheral]?.policyForPeer = nil
        model.begin(.central)
        model.drive()
        #expect(model.outcomes[.central] == .failure(.refusedByPeer(.pairingNotSupported)))
        #expect(model.outcomes[.peripheral] == nil)
    }

    @Test(
        "Encryption Key Size (0x06): shorter than the minimum",
        arguments: PairingModel.End.allCases,
        7...15
    )
    func keySize(end: PairingModel.End, size: Int) throws {
        var script = try script("SC, just works")
        if end == .central {
            script.peripheral.maximumKeySize = size
            script.peripheral.minimumKeySize = 7
        } else {
            script.central.maximumKeySize = size
            script.central.minimumKeySize = 7
        }
        expect(.encryptionKeySize, sentBy: end, in: script) { _ in }
    }

    @Test("Command Not Supported (0x07): a request in the wrong direction")
    func commandNotSupported() {
        var central = SecurityManager(PairingModel.context(.central))
        let request = SMP.PDU.pairingRequest(PDUVector.features).encode()
        #expect(ProbeRun.receive(request, &central).compactMap(\.sent) == [[0x05, 0x07]])
    }

    @Test("Unspecified Reason (0x08): a PDU before its time")
    func unspecified() throws {
        expect(.unspecified, sentBy: .peripheral, in: try script("SC, just works")) {
            $0.tamper = { end, bytes in
                let isKey = bytes.first == SMP.Code.pairingPublicKey.rawValue
                return isKey && end == .peripheral
                    ? [SMP.PDU.dhKeyCheck(PDUVector.value).encode()] : [bytes]
            }
        }
    }

    @Test(
        "Repeated Attempts (0x09) and Busy (0x10): the host refuses for now",
        arguments: [Pairing.FailureReason.repeatedAttempts, .busy]
    )
    func notNow(reason: Pairing.FailureReason) throws {
        let script = try script("SC, just works")
        var model = PairingModel(central: script.central, peripheral: script.peripheral)
        model.machines[.peripheral]?.refusalForPeer = reason
        model.begin(.central)
        model.drive()
        #expect(model.outcomes[.central] == .failure(.refusedByPeer(reason)))
        #expect(model.machines[.peripheral]?.isPairing == false)
    }

    @Test(
        "Invalid Parameters (0x0A): reserved values in the request or the response",
        arguments: PairingModel.End.allCases,
        [(1, 0x05), (1, 0xFF), (2, 0x02), (2, 0xFF), (4, 0), (4, 6), (4, 17), (4, 255)]
    )
    func invalidParameters(end: PairingModel.End, change: (place: Int, value: UInt8)) throws {
        expect(.invalidParameters, sentBy: end, in: try script("SC, just works")) {
            $0.tamper = Self.changing(change.place, to: change.value, at: end)
        }
    }

    @Test(
        "Invalid Parameters (0x0A): the responder offers keys that were not requested",
        arguments: [5, 6]
    )
    func unaskedKeys(place: Int) throws {
        var script = try script("SC, just works")
        script.central.isBonding = false
        expect(.invalidParameters, sentBy: .central, in: script) {
            $0.tamper = { end, bytes in
                guard end == .central, bytes.first == SMP.Code.pairingResponse.rawValue else {
                    return [bytes]
                }
                var bytes = bytes
                bytes[place] |= SMP.KeyDistribution.identityKey.rawValue
                return [bytes]
            }
        }
    }

    @Test(
        "Invalid Parameters (0x0A): an identity address that is private, or is the receiver's",
        // A resolvable private address, and the address of the receiver.
        arguments: ["0144332211007f", nil]
    )
    func identity(text: String?) throws {
        expect(.invalidParameters, sentBy: .central, in: try script("SC, just works")) {
            $0.tamper = { end, bytes in
                guard end == .central, bytes.first == 0x09 else { return [bytes] }
                let own = SMP.PDU.identityAddressInformation(
                    PairingModel.identities[.central] ?? DeviceAddress(value: 1, kind: .public)
                )
                return [text.map { [0x09] + $0.bytes } ?? own.encode()]
            }
        }
    }

    @Test(
        "DHKey Check Failed (0x0B): an invalid public key, or the receiver's own public key",
        arguments: PairingModel.End.allCases,
        PublicKeyForgery.allCases
    )
    func publicKey(end: PairingModel.End, forgery: PublicKeyForgery) throws {
        for name in ["SC, just works", "SC, numeric comparison", "SC, passkey displayed"] {
            var own: [UInt8] = []
            expect(.dhKeyCheckFailed, sentBy: end, in: try script(name)) {
                $0.tamper = { to, bytes in
                    guard bytes.first == SMP.Code.pairingPublicKey.rawValue else { return [bytes] }
                    // The central's key is sent first, so it can be sent back to the central.
                    if to == .peripheral { own = bytes }
                    guard to == end else { return [bytes] }
                    return [forgery.forge(bytes, own: own)]
                }
            }
        }
    }

    @Test(
        "DHKey Check Failed (0x0B): a check that does not match",
        arguments: PairingModel.End.allCases
    )
    func check(end: PairingModel.End) throws {
        for name in ["SC, just works", "SC, passkey entered", "SC, out of band"] {
            expect(.dhKeyCheckFailed, sentBy: end, in: try script(name)) {
                $0.tamper = Self.turningBit(of: .pairingDHKeyCheck, to: end)
            }
        }
    }

    @Test("DHKey Check Failed (0x0B): features that were changed on the way")
    func downgraded() throws {
        // The bit for protection is added to the request on its way.
        expect(.dhKeyCheckFailed, sentBy: .peripheral, in: try script("SC, just works")) {
            $0.tamper = Self.changing(3, to: 0x0D, at: .peripheral)
        }
    }

    @Test(
        "Numeric Comparison Failed (0x0C): a user reports that the numbers differ",
        arguments: PairingModel.End.allCases
    )
    func numericComparison(end: PairingModel.End) throws {
        expect(
            .numericComparisonFailed,
            sentBy: end,
            as: .declined,
            in: try script("SC, numeric comparison")
        ) {
            $0.people.behaviors[end] = .refusing
            $0.people.faster = end
        }
    }

    @Test("Key Rejected (0x0F): a long-term key of zeros")
    func keyRejected() throws {
        expect(.keyRejected, sentBy: .central, in: try script("legacy, just works")) {
            $0.tamper = { end, bytes in
                guard end == .central, bytes.first == 0x06 else { return [bytes] }
                return [[0x06] + [UInt8](repeating: 0, count: 16)]
            }
        }
    }

    @Test(
        "Any reason from the peer is reported and ends the pairing",
        arguments: 0...255 as ClosedRange<UInt8>
    )
    func reportedReason(byte: UInt8) throws {
        let reason = Pairing.FailureReason(rawValue: byte)
        for end in PairingModel.End.allCases {
            let script = try script("legacy, just works")
            var model = PairingModel(central: script.central, peripheral: script.peripheral)
            model.tamper = { to, bytes in
                to == end && bytes.first == SMP.Code.pairingConfirm.rawValue
                    ? [[0x05, byte]] : [bytes]
            }
            model.begin(.central)
            model.drive()
            #expect(model.outcomes[end] == .failure(.refusedByPeer(reason)))
            #expect(model.machines[end]?.isPairing == false)
        }
    }

    @Test("The refusal of a user is reported as declined, and to the other end as the peer's")
    func consent() throws {
        let script = try script("SC, just works")
        var model = PairingModel(central: script.central, peripheral: script.peripheral)
        model.people.behaviors[.peripheral] = .refusing
        model.begin(.central)
        model.drive()
        #expect(model.outcomes[.peripheral] == .failure(.declined))
        guard case .failure(.refusedByPeer) = model.outcomes[.central] else {
            Issue.record("The central does not report the failure")
            return
        }
    }
}

extension FailureReasonTests {
    /// Returns a change that flips one bit of each PDU with this code that arrives at this end.
    static func turningBit(
        of code: SMP.Code,
        to end: PairingModel.End
    ) -> (PairingModel.End, [UInt8]) -> [[UInt8]] {
        { to, bytes in
            guard to == end, bytes.first == code.rawValue else { return [bytes] }
            var bytes = bytes
            bytes[7] ^= 0x10
            return [bytes]
        }
    }

    /// Returns a change that sets a byte of the Pairing Request or the Pairing Response.
    static func changing(
        _ place: Int,
        to value: UInt8,
        at end: PairingModel.End
    ) -> (PairingModel.End, [UInt8]) -> [[UInt8]] {
        { to, bytes in
            guard to == end, bytes.first == 0x01 || bytes.first == 0x02 else { return [bytes] }
            var bytes = bytes
            bytes[place] = value
            return [bytes]
        }
    }
}

/// The PDU that replaces a public key (CVE-2018-5383, CVE-2020-26558).
enum PublicKeyForgery: CaseIterable {
    case zeros, zeroY, offCurve, tooGreat, swapped, zeroX
    /// Only x is the same, since y must not matter.
    case ownX
    case own
    case negated

    /// Returns a public key in place of the one in the PDU.
    ///
    /// - Parameter own: The public key of the attacked side. If that key was not sent yet, the key
    ///   in the PDU.
    func forge(_ bytes: [UInt8], own: [UInt8]) -> [UInt8] {
        let code = Array(bytes.prefix(1))
        let (x, y) = (Array(bytes[1...32]), Array(bytes[33...64]))
        let zeros = [UInt8](repeating: 0, count: 32)
        let isOwnKnown = own != bytes
        return switch self {
        case .zeros: code + zeros + zeros
        case .zeroY: code + x + zeros
        case .offCurve: code + x + y.map { $0 ^ 0x01 }
        case .tooGreat: code + [UInt8](repeating: 0xFF, count: 32) + y
        case .swapped: code + y + x
        case .zeroX: code + zeros + Self.yOfZero
        // The responder's key is unknown before it is sent, so another invalid key replaces it.
        case .ownX: isOwnKnown ? code + Array(own[1...32]) + y : code + zeros + zeros
        case .own: isOwnKnown ? own : code + zeros + y
        case .negated: isOwnKnown ? Self.negate(own) : code + x + zeros
        }
    }

    /// The y that belongs to x = 0, least significant byte first.
    private static let yOfZero: [UInt8] =
        "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4".bytes.reversed()

    /// Returns the key with the same x and the other y: the prime of the field minus y.
    private static func negate(_ key: [UInt8]) -> [UInt8] {
        let prime: [UInt8] =
            "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff".bytes.reversed()
        var borrow = 0
        let y = zip(prime, key[33...64]).map { prime, byte in
            let difference = Int(prime) - Int(byte) - borrow
            borrow = difference < 0 ? 1 : 0
            return UInt8(difference & 0xFF)
        }
        return Array(key.prefix(33)) + y
    }
}
