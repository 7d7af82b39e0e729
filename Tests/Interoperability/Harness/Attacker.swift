// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// A Bumble host whose Security Manager violates the protocol on purpose; see Peers/attacker.py.
struct Attacker: Sendable {
    /// A step of a pairing, named after the attacker's PDU in it.
    enum Step: String, Sendable {
        case request, response, publicKey, confirm, random, check
        case encryption, identification, resolving, identity, signing
    }

    /// A PDU or value in place of the correct one; see Peers/forgeries.py.
    enum Forgery: String, Sendable {
        case reflected, negated, offCurve, onTwist, zeroKey, zeroAbscissa
        case largeAbscissa, largeOrdinate, printedKey, earlierKey
        case echoed, zero, wrong, none, short, long
    }

    /// The plan of a pairing, which is correct except for the changes here.
    struct Plan: Sendable {
        var io = Pairing.IOCapability.noInputNoOutput
        var usesSecureConnections = true
        var wantsProtection = false
        var keySize = 16
        /// The passkey, which the attacker knows. If there is one, the method of the pairing is
        /// Passkey Entry.
        var passkey: UInt32?
        var forged: [Step: Forgery] = [:]
        /// The PDUs that the attacker sends before and after each step.
        var before: [Step: [[UInt8]]] = [:]
        var after: [Step: [[UInt8]]] = [:]
        /// The identity address that the attacker claims.
        var identity: DeviceAddress?
        /// How the attacker encrypts the link in Phase 2: with the `right` key, with a `wrong` key,
        /// or `never`.
        var encrypts = "right"
    }

    /// The result of the pairing.
    enum Outcome: Equatable, Sendable {
        case completed
        case refused(Pairing.FailureReason)
        case silent
        case notEncrypted(Int)
        case ended
    }

    /// A Security Manager PDU that the attacker received or sent.
    struct ExchangedPDU: Equatable, Sendable {
        let isOurs: Bool
        let bytes: [UInt8]
    }

    let client: Client

    func advertise() async throws { try await client.perform("advertise") }

    func awaitLink() async throws { try await client.perform("linked") }

    func setAddress(_ address: DeviceAddress) async throws {
        try await client.perform("become", ["address": .string(address.description)])
    }

    func connect(to address: DeviceAddress) async throws {
        try await client.connect(address: address, mtu: nil)
    }

    func disconnect() async throws { try await client.disconnect() }

    func awaitEnd() async throws { try await client.perform("ended") }

    /// Pairs. Returns the result and the PDUs of both sides.
    func attack(_ plan: Plan = Plan()) async throws -> (Outcome, [ExchangedPDU]) {
        beginAttack(plan)
        return try await outcome()
    }

    /// Waits for our host to start a pairing, or starts one; `outcome` waits for the result.
    func beginAttack(_ plan: Plan = Plan()) {
        client.begin("attack", ["plan": plan.details])
    }

    func outcome() async throws -> (Outcome, [ExchangedPDU]) {
        let facts = try await client.outcome()
        return (Outcome(facts), facts["transcript"].elements.map(ExchangedPDU.init))
    }

    /// Sends any Security Manager PDUs.
    func send(_ pdus: [[UInt8]]) async throws {
        try await client.perform("say", ["pdus": .array(pdus.map(JSON.bytes))])
    }

    /// Waits for the next Security Manager PDU.
    func nextPDU() async throws -> [UInt8] { try await client.perform("receive").bytes }

    /// Encrypts with any key under any EDIV and Rand. Returns whether that worked.
    func encrypt(
        with key: [UInt8],
        diversifier: UInt16 = 0,
        random: [UInt8] = [UInt8](repeating: 0, count: 8)
    ) async throws -> Bool {
        let details: [String: JSON] = [
            "key": .bytes(key), "diversifier": .number(Double(diversifier)),
            "random": .bytes(random),
        ]
        return try await client.perform("encrypt", details)["encrypted"] == .boolean(true)
    }
}

extension Attacker.Plan {
    private static let bonding = 0x01
    private static let protection = 0x04
    private static let secureConnections = 0x08

    fileprivate var details: JSON {
        var authentication = Self.bonding
        if wantsProtection { authentication |= Self.protection }
        if usesSecureConnections { authentication |= Self.secureConnections }
        var details: [String: JSON] = [
            "io": .number(Double(io.rawValue)),
            "authentication": .number(Double(authentication)),
            "size": .number(Double(keySize)),
            "forge": .object(
                Dictionary(uniqueKeysWithValues: forged.map { ($0.rawValue, .string($1.rawValue)) })
            ),
            "before": Self.details(before),
            "after": Self.details(after),
            "encrypts": .string(encrypts),
        ]
        details["passkey"] = passkey.map { .number(Double($0)) }
        details["identity"] = identity.map { .string($0.description) }
        return .object(details)
    }

    private static func details(_ pdus: [Attacker.Step: [[UInt8]]]) -> JSON {
        .object(
            Dictionary(
                uniqueKeysWithValues: pdus.map { ($0.rawValue, .array($1.map(JSON.bytes))) }
            )
        )
    }
}

extension Attacker.Outcome {
    fileprivate init(_ facts: JSON) {
        if let reason = facts["refused"].integer {
            self = .refused(Pairing.FailureReason(rawValue: UInt8(reason)))
        } else if let status = facts["notEncrypted"].integer {
            self = .notEncrypted(status)
        } else if facts["ended"].integer != nil {
            self = .ended
        } else {
            self = facts["completed"] == .boolean(true) ? .completed : .silent
        }
    }
}

extension Attacker.Outcome {
    /// The outcome as a short text.
    var summary: String {
        switch self {
        case .completed: "completed"
        case .refused(let reason): "refused, reason \(reason.rawValue)"
        case .silent: "no answer"
        case .notEncrypted(let status): "not encrypted, status \(status)"
        case .ended: "the link ended"
        }
    }
}

extension Attacker.ExchangedPDU {
    fileprivate init(_ json: JSON) {
        isOurs = json["received"].text != nil
        bytes = isOurs ? json["received"].bytes : json["said"].bytes
    }
}
