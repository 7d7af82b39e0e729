// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

@testable import LanyardCLI

@Suite("Options of pairing")
struct PairingOptionsTests {
    private func policy(
        _ arguments: String...,
        hasSomebody: Bool = true,
        hasOutOfBandData: Bool = false
    ) throws -> Pairing.Policy {
        try PairingOptions.parse(arguments)
            .policy(hasSomebody: hasSomebody, hasOutOfBandData: hasOutOfBandData)
    }

    @Test("are safe by themselves: Secure Connections, whole keys, a bond, no debug key")
    func defaults() throws {
        var expected = Pairing.Policy()
        expected.ioCapability = .keyboardDisplay
        #expect(try policy() == expected)
        expected.ioCapability = .noInputNoOutput
        #expect(try policy(hasSomebody: false) == expected)
        #expect(!expected.allowsLegacyPairing && expected.minimumKeySize == 16)
    }

    @Test("take every capability by its name", arguments: Pairing.IOCapability.allCases)
    func capabilities(capability: Pairing.IOCapability) throws {
        #expect(try policy("--io", capability.description).ioCapability == capability)
        let upper = capability.description.uppercased()
        #expect(try policy("--io", upper, hasSomebody: false).ioCapability == capability)
    }

    @Test("become a policy")
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
        "that make no sense are refused",
        arguments: [
            ["--io", "screen"], ["--io", "\u{1B}[2J"], ["--min-key-size", "6"],
            ["--min-key-size", "17"], ["--mitm", "--io", "no-input-no-output"],
        ]
    )
    func refusals(arguments: [String]) throws {
        let options = try PairingOptions.parse(arguments)
        #expect {
            try options.policy(hasSomebody: true)
        } throws: {
            let failure = $0 as? ProgramFailure
            return failure?.status == .usage && failure?.line.contains("\u{1B}") == false
        }
    }

    @Test("let data out of band stand in for somebody")
    func outOfBand() throws {
        #expect(throws: ProgramFailure.self) { try policy("--mitm", hasSomebody: false) }
        let told = try policy("--mitm", hasSomebody: false, hasOutOfBandData: true)
        #expect(told.requiresAuthentication)
    }

    @Test("believe that somebody is there at a terminal, or if they are told so")
    func presence() throws {
        var console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: true,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { _ in }
        )
        let plain = try PairingOptions.parse([])
        #expect(!plain.hasSomebody(at: console) && plain.desk(at: console) == nil)
        let scripted = try PairingOptions.parse(["--answers"])
        #expect(scripted.hasSomebody(at: console) && scripted.desk(at: console) != nil)
        console.isInputTerminal = true
        #expect(plain.hasSomebody(at: console) && plain.desk(at: console) != nil)
    }
}
