// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// `lanyard serve --pair` at a terminal, with two Bumble centrals that pair at the same time: an
/// attacker, which is first, and the phone of the user at the terminal.
@Suite("Two peers pair at the same time", .needsPeers)
struct ConcurrentPairingTests {
    private typealias Plan = Companion.Plan

    private static let lock = """
        {"name": "Lock", "services": [{"uuid": "180F", "characteristics": [
            {"uuid": "2A19", "properties": ["read"], "value": "57"}
        ]}]}
        """

    @Test(
        "An answer applies only to the peer that the question names",
        arguments: [true, false]
    )
    func attackerAsksFirst(comparesDigits: Bool) async throws {
        let plan =
            comparesDigits ? Plan(io: .displayYesNo, wantsProtection: true) : Plan()
        try await withAttackerAndPhone { attacker, phone, terminal, fixture in
            let (attackerName, phoneName) = (PeerHarness.address(at: 1), PeerHarness.address(at: 2))
            for peer in [attacker, phone] {
                try await peer.prepare(plan)
                try await connect(peer)
            }
            attacker.beginPairing()
            try await terminal.wait(for: "[y/N] ")
            phone.beginPairing()
            let refusal = try await phone.outcome()
            #expect(refusal == .failed(.busy, byPeer: true))
            let question = try #require(terminal.shown.split(separator: "\n").last)
            #expect(question.contains("\(attackerName)") && question.hasSuffix("[y/N] "))
            #expect(!terminal.shown.contains("\(phoneName)/random wants to pair"))
            terminal.type(line: "n")
            let declined = try await attacker.outcome()
            #expect(declined.facts == nil)

            try await phone.prepare(plan)
            phone.beginPairing()
            try await terminal.wait(for: "\(phoneName)/random wants to pair")
            let asked = try await terminal.wait(for: "[y/N] ")
            #expect(asked.split(separator: "\n").last?.contains("\(phoneName)") == true)
            terminal.type(line: "y")
            try await terminal.wait(for: "bonded: ")
            let facts = try await phone.outcome().facts
            #expect(facts?.isAuthenticated == comparesDigits)
            terminal.type(line: "quit")
            #expect(try await terminal.waitUntilEnd() == .exited(0))
            #expect(
                try await fixture.bonds().map { $0["identity"].text } == [phoneName.description]
            )
        }
    }

    /// Connects again if the accessory did not answer the first packets (0x3E).
    private func connect(_ peer: Companion) async throws {
        let notEstablished = "\(HCI.ErrorCode.connectionFailedToBeEstablished.rawValue)"
        for _ in 1..<Self.attemptLimit {
            do {
                return try await peer.connect(name: "Lock")
            } catch Client.Failure.failed(let words) where words.hasSuffix(notEstablished) {
                continue
            }
        }
        try await peer.connect(name: "Lock")
    }

    private static let attemptLimit = 3

    private typealias Body =
        (Companion, Companion, TerminalSession, TerminalPairingTests.Fixture) async throws -> Void

    private func withAttackerAndPhone(
        _ body: Body
    ) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withPeerHarness(peerLimit: 2) { harness in
            let attacker = try await harness.companion(at: 1)
            let phone = try await harness.companion(at: 2)
            let fixture = TerminalPairingTests.Fixture(
                harness: harness,
                companion: phone,
                folder: folder
            )
            try fixture.write(Self.lock, to: "lock.json")
            let terminal = try fixture.open(
                ["serve", fixture.path("lock.json"), "--pair", "--io", "display-yes-no"]
            )
            try await terminal.wait(for: "ready: \"Lock\"")
            try await body(attacker, phone, terminal, fixture)
        }
    }
}
