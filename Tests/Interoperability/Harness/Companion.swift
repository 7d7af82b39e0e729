// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// A Bumble host that pairs as it is told, in both roles, any number of times; see
/// Peers/companion.py.
struct Companion: Sendable {
    /// How it pairs; what is not said is as in Peers/trust.py.
    struct Plan: Sendable {
        var io = Pairing.IOCapability.noInputNoOutput
        var usesSecureConnections = true
        var wantsProtection = false
        var isBonding = true
        var keySize = 16
        /// The passkey that it shows, where it makes one. Never zero: Bumble takes that for none.
        var shows: UInt32 = 123_456
        /// The passkey that its user enters; nil: `enter` will tell.
        var enters: UInt32?
        /// What its user declines: `accept`, `confirm`, `compare`, `enter`.
        var declines: [String] = []
        var usesKeypresses = false
        /// What the other side has told out of band: `C:R`, in hexadecimal; empty: nothing, but it
        /// was told.
        var outOfBandData: String?
        /// The key of legacy pairing that both were told.
        var temporaryKey: [UInt8]?
        /// The PDU of the Security Manager at which it disconnects; counted from 1, both ways.
        var leaves: Int?
        /// The PDU at which its process ends.
        var vanishes: Int?
    }

    /// What a pairing came to.
    enum Outcome: Equatable, Sendable {
        case paired(Facts)
        case failed(Pairing.FailureReason, byPeer: Bool)
        case ended
    }

    /// What it knows of a pairing that is done.
    struct Facts: Equatable, Sendable {
        let method: String
        let isAuthenticated: Bool
        let usesSecureConnections: Bool
        let keySize: Int
        let keys: [String]
        /// The peer, by the address that it told.
        let identity: String
        /// The numbers that its user has seen or entered.
        let displayed: UInt32?
        let entered: UInt32?
        let compared: UInt32?
        let keypresses: [Int]
    }

    /// What it does with the values of a server.
    let client: Client

    /// Takes another identity.
    func become(_ address: DeviceAddress) async throws {
        try await client.perform("become", ["address": .string(address.description)])
    }

    /// Takes another private address.
    @discardableResult
    func rotate() async throws -> String? { try await client.perform("rotate")["address"].text }

    func prepare(_ plan: Plan = Plan()) async throws {
        try await client.perform("prepare", plan.details)
    }

    /// What the peer is to be told out of band, made anew.
    func share() async throws -> Pairing.OutOfBandData {
        let parts = try #require(try await client.perform("share").text).split(separator: ":")
        let values = parts.map { JSON.string(String($0)).octets }
        return try Pairing.OutOfBandData(confirmation: values.first, random: values.last)
    }

    // MARK: The link

    /// Lets one Central connect. Returns the address that it is seen under.
    @discardableResult
    func advertise() async throws -> String? {
        try await client.perform("advertise")["address"].text
    }

    /// Waits for a Central. Returns the address that it has used.
    @discardableResult
    func linked() async throws -> String? { try await client.perform("linked")["peer"].text }

    func connect(to address: DeviceAddress) async throws {
        try await client.connect(address: address, mtu: nil)
    }

    func connect(name: String) async throws { try await client.connect(name: name, mtu: nil) }

    func disconnect() async throws { try await client.disconnect() }

    /// Waits until there is no link.
    func ended() async throws { try await client.perform("ended") }

    // MARK: Pairing

    /// Begins to pair, as Central, or asks for it, as Peripheral.
    func pair() async throws -> Outcome { Outcome(try await client.perform("pair")) }

    /// Begins to pair; `outcome` waits for what comes of it.
    func beginPairing() { client.begin("pair") }

    /// Begins to wait for what comes of a pairing; `outcome` goes on with it.
    func awaitPairing() { client.begin("paired") }

    func outcome() async throws -> Outcome { Outcome(try await client.outcome()) }

    /// What its user enters.
    func enter(_ number: UInt32) { client.begin("enter", ["number": .number(Double(number))]) }

    /// Encrypts with the keys of a bond, as Central.
    func encrypt() async throws { try await client.perform("encrypt") }

    /// Waits until the link is encrypted.
    func encrypted() async throws { try await client.perform("encrypted") }

    /// Asks the Central for security.
    func request() async throws { try await client.perform("request") }

    func forget() async throws { try await client.perform("forget") }

    /// Whom it shares keys with.
    func bonds() async throws -> [String] {
        try await client.perform("bonds").elements.compactMap(\.text)
    }

    /// How many PDUs of the Security Manager have passed on the last link.
    func countPassed() async throws -> Int { try await client.perform("passed").elements.count }
}

extension Companion {
    static let open = Demo.uuid(1)
    static let secret = Demo.uuid(0x21)
    static let secretValue = Array("secret".utf8)
}

extension Companion.Plan {
    fileprivate var details: [String: JSON] {
        var details: [String: JSON] = [
            "io": .string(io.peerName),
            "secure": .boolean(usesSecureConnections),
            "mitm": .boolean(wantsProtection),
            "bonding": .boolean(isBonding),
            "size": .number(Double(keySize)),
            "shows": .number(Double(shows)),
            "declines": .array(declines.map(JSON.string)),
            "keypress": .boolean(usesKeypresses),
        ]
        details["enters"] = enters.map { .number(Double($0)) }
        details["peer_oob"] = outOfBandData.map(JSON.string)
        details["temporary_key"] = temporaryKey.map(JSON.octets)
        details["leaves"] = leaves.map { .number(Double($0)) }
        details["vanishes"] = vanishes.map { .number(Double($0)) }
        return details
    }
}

extension Companion.Outcome {
    fileprivate init(_ json: JSON) {
        if let reason = json["failed"].integer {
            self = .failed(
                Pairing.FailureReason(rawValue: UInt8(reason)),
                byPeer: json["byPeer"] == .boolean(true)
            )
        } else if json["ended"].integer != nil {
            self = .ended
        } else {
            self = .paired(Companion.Facts(json))
        }
    }

    /// The facts, if there was a pairing.
    var facts: Companion.Facts? {
        if case .paired(let facts) = self { facts } else { nil }
    }
}

extension Companion.Facts {
    fileprivate init(_ json: JSON) {
        method = json["method"].text ?? ""
        isAuthenticated = json["authenticated"] == .boolean(true)
        usesSecureConnections = json["secureConnections"] == .boolean(true)
        keySize = json["keySize"].integer ?? 0
        keys = json["keys"].elements.compactMap(\.text)
        identity = json["identity"].text ?? ""
        displayed = json["displayed"].integer.map(UInt32.init)
        entered = json["entered"].integer.map(UInt32.init)
        compared = json["compared"].integer.map(UInt32.init)
        keypresses = json["keypresses"].elements.compactMap(\.integer)
    }
}

extension Pairing.IOCapability {
    /// What the options of the peers call it.
    var peerName: String {
        switch self {
        case .displayOnly: "display"
        case .displayYesNo: "yes-no"
        case .keyboardOnly: "keyboard"
        case .noInputNoOutput: "none"
        case .keyboardDisplay: "keyboard-display"
        }
    }
}
