// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// A Bumble host that pairs as commanded, in both roles, any number of times; see
/// Peers/companion.py.
struct Companion: Sendable {
    /// The plan of the companion's pairings. Peers/trust.py has the defaults.
    struct Plan: Sendable {
        var io = Pairing.IOCapability.noInputNoOutput
        var usesSecureConnections = true
        var wantsProtection = false
        var isBonding = true
        var keySize = 16
        /// The passkey that the companion generates and displays. Never zero, because Bumble takes
        /// zero for no passkey.
        var shows: UInt32 = 123_456
        /// The passkey that the companion's user enters, or `nil` if `enter` gives it later.
        var enters: UInt32?
        /// The requests that the companion's user declines: `accept`, `confirm`, `compare`,
        /// `enter`.
        var declines: [String] = []
        var usesKeypresses = false
        /// The peer's out-of-band data: `C:R` in hexadecimal digits; empty if the companion has
        /// only given out its own data.
        var outOfBandData: String?
        /// The temporary key of out-of-band legacy pairing, which both sides have.
        var temporaryKey: [UInt8]?
        /// The Security Manager PDU at which the companion disconnects, counted from 1 in both
        /// directions.
        var leaves: Int?
        /// The Security Manager PDU at which the companion's process ends.
        var vanishes: Int?
    }

    /// The result of a pairing.
    enum Outcome: Equatable, Sendable {
        case paired(Facts)
        case failed(Pairing.FailureReason, byPeer: Bool)
        case ended
    }

    /// The companion's record of a completed pairing.
    struct Facts: Equatable, Sendable {
        let method: String
        let isAuthenticated: Bool
        let usesSecureConnections: Bool
        let keySize: Int
        let keys: [String]
        /// The peer's identity address, as the peer distributed it.
        let identity: String
        /// The numbers that the companion's user has seen or entered.
        let displayed: UInt32?
        let entered: UInt32?
        let compared: UInt32?
        let keypresses: [Int]
    }

    let client: Client

    /// Changes the companion's identity address.
    func setAddress(_ address: DeviceAddress) async throws {
        try await client.perform("become", ["address": .string(address.description)])
    }

    /// Changes the companion's private address. Returns the new one.
    @discardableResult
    func rotate() async throws -> String? { try await client.perform("rotate")["address"].text }

    func prepare(_ plan: Plan = Plan()) async throws {
        try await client.perform("prepare", plan.details)
    }

    /// Returns new out-of-band data for the peer.
    func share() async throws -> Pairing.OutOfBandData {
        let parts = try #require(try await client.perform("share").text).split(separator: ":")
        let values = parts.map { JSON.string(String($0)).bytes }
        return try Pairing.OutOfBandData(confirmation: values.first, random: values.last)
    }

    // MARK: The link

    /// Lets one central connect. Returns the address from which the companion advertises.
    @discardableResult
    func advertise() async throws -> String? {
        try await client.perform("advertise")["address"].text
    }

    /// Waits for a central. Returns that central's address.
    @discardableResult
    func awaitLink() async throws -> String? { try await client.perform("linked")["peer"].text }

    func connect(to address: DeviceAddress) async throws {
        try await client.connect(address: address, mtu: nil)
    }

    func connect(name: String) async throws { try await client.connect(name: name, mtu: nil) }

    func disconnect() async throws { try await client.disconnect() }

    /// Waits until there is no link.
    func awaitEnd() async throws { try await client.perform("ended") }

    // MARK: Pairing

    /// Starts a pairing as central, or requests it as peripheral.
    func pair() async throws -> Outcome { Outcome(try await client.perform("pair")) }

    /// Starts a pairing; `outcome` waits for the result.
    func beginPairing() { client.begin("pair") }

    /// Begins to wait for the result of a pairing; `outcome` completes the wait.
    func awaitPairing() { client.begin("paired") }

    func outcome() async throws -> Outcome { Outcome(try await client.outcome()) }

    /// Enters a number as the companion's user.
    func enter(_ number: UInt32) { client.begin("enter", ["number": .number(Double(number))]) }

    /// Encrypts the link with a bond's keys, as central.
    func encrypt() async throws { try await client.perform("encrypt") }

    /// Waits until the link is encrypted.
    func encrypted() async throws { try await client.perform("encrypted") }

    /// Requests security from the central.
    func request() async throws { try await client.perform("request") }

    func forget() async throws { try await client.perform("forget") }

    /// Returns the identity addresses of the bonded peers.
    func bonds() async throws -> [String] {
        try await client.perform("bonds").elements.compactMap(\.text)
    }

    /// Returns the number of Security Manager PDUs that the last link has carried.
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
        details["temporary_key"] = temporaryKey.map(JSON.bytes)
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

    /// The record, if the pairing completed.
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
    /// The name of the capability in the options of the peer programs.
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
