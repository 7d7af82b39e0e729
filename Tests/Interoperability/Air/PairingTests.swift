// SPDX-License-Identifier: Apache-2.0

import Testing

/// Two Bumble hosts pair over our virtual radio by every association model, and continue on the
/// encrypted link.
@Suite(.needsPeers) struct PairingTests {
    /// A way to pair: the capabilities of both sides, and the expected result.
    struct Combination: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let central: [String]
        let accessory: [String]
        let isAuthenticated: Bool

        init(
            _ description: String,
            central: [String] = [],
            accessory: [String] = [],
            isAuthenticated: Bool = true
        ) {
            testDescription = description
            self.central = central
            self.accessory = accessory
            self.isAuthenticated = isAuthenticated
        }
    }

    private static let everywhere = [
        Combination("Just Works", isAuthenticated: false),
        Combination(
            "Passkey Entry, the accessory's user enters",
            central: ["--io", "display"],
            accessory: ["--io", "keyboard"]
        ),
        Combination(
            "Passkey Entry, the Central's user enters",
            central: ["--io", "keyboard"],
            accessory: ["--io", "display"]
        ),
        Combination(
            "Passkey Entry, both users enter",
            central: ["--io", "keyboard"],
            accessory: ["--io", "keyboard"]
        ),
    ]

    @Test("Two Bumble hosts pair by LE Secure Connections", arguments: everywhere)
    func secureConnections(combination: Combination) async throws {
        let pairing = try await pair(combination)
        #expect(pairing["secureConnections"] == .boolean(true))
        #expect(pairing["keys"].elements.map(\.text) == ["irk", "ltk"])
    }

    @Test("Two Bumble hosts pair by LE legacy pairing", arguments: everywhere)
    func legacy(combination: Combination) async throws {
        let pairing = try await pair(combination, options: ["--legacy"])
        #expect(pairing["secureConnections"] == .boolean(false))
        let keys = pairing["keys"].elements.map(\.text)
        #expect(keys == ["irk", "ltk_central", "ltk_peripheral"])
    }

    @Test("Two Bumble hosts pair by Numeric Comparison") func numericComparison() async throws {
        try await withAir { air in
            let accessory = try await air.accessory(options: ["--io", "yes-no"])
            let facts = try await air.central(options: ["--pair", "--io", "yes-no"])
            let pairing = facts["pairing"]
            #expect(pairing["authenticated"] == .boolean(true))
            let peers = try await result(of: accessory)
            #expect(pairing["compared"].integer != nil)
            #expect(pairing["compared"] == peers["compared"])
        }
    }

    @Test("Two Bumble hosts pair out of band by LE Secure Connections") func outOfBand()
        async throws
    {
        try await withAir { air in
            let accessory = try await air.accessory(options: ["--oob"])
            let line = try await accessory.process.nextLine(within: HostFixture.limit) ?? ""
            let data = try #require(try JSON(parsing: "\(line.dropFirst("oob ".count))").text)
            let facts = try await air.central(options: ["--pair", "--peer-oob", data])
            #expect(facts["pairing"]["authenticated"] == .boolean(true))
            #expect(facts["pairing"]["secureConnections"] == .boolean(true))
        }
    }

    @Test("Two Bumble hosts pair out of band by LE legacy pairing") func legacyOutOfBand()
        async throws
    {
        let combination = Combination("Out of Band", central: ["--oob"], accessory: ["--oob"])
        try await withAir { air in
            _ = try await air.accessory(options: combination.accessory + ["--legacy"])
            let facts = try await air.central(
                options: ["--pair", "--legacy"] + combination.central
            )
            #expect(facts["pairing"]["authenticated"] == .boolean(true))
            #expect(facts["pairing"]["secureConnections"] == .boolean(false))
        }
    }

    /// This test uses only Secure Connections: Bumble 0.0.236 as a peripheral answers with the
    /// wrong one of its two legacy keys, and our controllers detect that.
    @Test("A bonded central reconnects and encrypts the link")
    func bondedCentral() async throws {
        try await withAir { air in
            let accessory = try await air.accessory()
            let facts = try await air.central(options: ["--pair", "--return"])
            #expect(facts["returned"]["peer"].text == accessory.address)
            #expect(facts["returned"]["encrypted"] == .boolean(true))
            #expect(facts["returned"]["short"] == .boolean(true))
        }
    }

    /// Pairs with the combination's capabilities, and returns the central's result. Expects that
    /// both sides report the same result.
    private func pair(_ combination: Combination, options: [String] = []) async throws -> JSON {
        var pairing = JSON.null
        try await withAir { air in
            let accessory = try await air.accessory(options: combination.accessory + options)
            let facts = try await air.central(options: ["--pair"] + combination.central + options)
            pairing = facts["pairing"]
            let peers = try await result(of: accessory)
            for key in ["encrypted", "authenticated", "secureConnections", "keys"] {
                #expect(pairing[key] == peers[key])
            }
            #expect(pairing["encrypted"] == .boolean(true))
            #expect(pairing["authenticated"] == .boolean(combination.isAuthenticated))
            #expect(facts["exploredEncrypted"]["long"] == .boolean(true))
            #expect(facts["exploredEncrypted"]["notified"].elements.count == 5)
        }
        return pairing
    }

    /// Returns the accessory's result of its pairing.
    private func result(of accessory: Accessory) async throws -> JSON {
        let line = try await accessory.process.nextLine(within: HostFixture.limit) ?? ""
        return try JSON(parsing: String(line.dropFirst("paired ".count)))
    }
}
