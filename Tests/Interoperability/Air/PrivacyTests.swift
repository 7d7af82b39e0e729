// SPDX-License-Identifier: Apache-2.0

import Testing

/// Two Bumble hosts with resolvable private addresses connect, pair, and resolve each other's
/// addresses.
@Suite(.needsPeers) struct PrivacyTests {
    /// The part of a device that generates and resolves its addresses.
    enum Resolver: String, CaseIterable, CustomTestStringConvertible, Sendable {
        case host, controller

        var testDescription: String { "in the \(rawValue)" }
    }

    /// The accessory's identity address, which only bonded peers learn.
    private static let identity = HostFixture.address().description

    @Test(
        "Bonded Bumble hosts resolve each other's private addresses",
        arguments: Resolver.allCases
    )
    func resolution(resolver: Resolver) async throws {
        let privacy = ["--privacy", resolver.rawValue]
        try await withAir { air in
            _ = try await air.accessory(options: privacy)
            let facts = try await air.central(options: ["--pair", "--return"] + privacy)
            #expect(facts["found"]["receivedResolvable"] == .boolean(true))
            #expect(facts["found"]["received"].text != Self.identity)
            #expect(facts["pairing"]["encrypted"] == .boolean(true))
            let returned = facts["returned"]
            #expect(returned["peer"].text == Self.identity)
            #expect(returned["encrypted"] == .boolean(true))
            // A controller that resolves addresses reports the identity address. Otherwise it
            // reports the private address, and the host resolves it.
            #expect(returned["receivedResolvable"] == .boolean(resolver == .host))
            #expect(returned["peerPrivate"].text != nil)
            #expect(returned["peerPrivate"].text != Self.identity)
        }
    }

    @Test("Bumble hosts reconnect if only one of them resolves in its controller")
    func mixedResolvers() async throws {
        try await withAir { air in
            _ = try await air.accessory(options: ["--privacy", "host"])
            let facts = try await air.central(
                options: ["--pair", "--return", "--privacy", "controller"]
            )
            #expect(facts["returned"]["received"].text == Self.identity)
            #expect(facts["returned"]["encrypted"] == .boolean(true))
        }
    }
}
