// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

@testable import LanyardCLI

@Suite("Options of pairing")
struct PairingOptionsTests {
    private func policy(
        _ arguments: String...,
        hasUser: Bool = true,
        hasOutOfBandData: Bool = false
    ) throws -> Pairing.Policy {
        try PairingOptions.parse(arguments)
            .policy(hasUser: hasUser, hasOutOfBandData: hasOutOfBandData)
    }

    @Test("The defaults are Secure Connections, the full key size, a bond, and no debug key")
    func defaults() throws {
        var expected = Pairing.Policy()
        expected.ioCapability = .keyboardDisplay
        #expect(try policy() == expected)
        expected.ioCapability = .noInputNoOutput
        #expect(try policy(hasUser: false) == expected)
        #expect(!expected.allowsLegacyPairing && expected.minimumKeySize == 16)
    }

    @Test("Every capability is accepted by its name", arguments: Pairing.IOCapability.allCases)
    func capabilities(capability: Pairing.IOCapability) throws {
        #expect(try policy("--io", capability.description).ioCapability == capability)
        let upper = capability.description.uppercased()
        #expect(try policy("--io", upper, hasUser: false).ioCapability == capability)
    }

    @Test("The options become a policy")
    func flags() throws {
        let policy = try self.policy(
            "--mitm",
            "--legacy",
            "--no-bond",
            "--keypresses",
            "--min-key-size",
            "7",
            "--debug-key-that-protects-nothing"
        )
        #expect(policy.requiresAuthentication && policy.allowsLegacyPairing && !policy.isBonding)
        #expect(policy.usesKeypressNotifications && policy.usesPublishedDebugKey)
        #expect(policy.minimumKeySize == 7)
    }

    @Test(
        "Invalid options are refused",
        arguments: [
            ["--io", "screen"], ["--io", "\u{1B}[2J"], ["--min-key-size", "6"],
            ["--min-key-size", "17"], ["--mitm", "--io", "no-input-no-output"],
        ]
    )
    func refusals(arguments: [String]) throws {
        let options = try PairingOptions.parse(arguments)
        #expect {
            try options.policy(hasUser: true)
        } throws: {
            let failure = $0 as? ProgramFailure
            return failure?.status == .usage && failure?.line.contains("\u{1B}") == false
        }
    }

    @Test("Out-of-band data replaces a user")
    func outOfBand() throws {
        #expect(throws: ProgramFailure.self) { try policy("--mitm", hasUser: false) }
        let withData = try policy("--mitm", hasUser: false, hasOutOfBandData: true)
        #expect(withData.requiresAuthentication)
    }

    @Test("A terminal or --answers provides a user")
    func presence() throws {
        var console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: true,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { _ in }
        )
        let plain = try PairingOptions.parse([])
        #expect(!plain.hasUser(at: console) && plain.questions(at: console) == nil)
        let scripted = try PairingOptions.parse(["--answers"])
        #expect(scripted.hasUser(at: console) && scripted.questions(at: console) != nil)
        console.isInputTerminal = true
        #expect(plain.hasUser(at: console) && plain.questions(at: console) != nil)
    }
}
