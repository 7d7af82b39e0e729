// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// A Bumble host violates the Security Manager Protocol. Each time our host refuses with the right
/// reason, keeps working, and pairs with the next honest device, and no bond changes.
@Suite(.needsPeers, .needsWireshark) struct HostilityTests {
    @Test(
        "The host refuses each attack and changes no bond",
        arguments: [LinkRole.central, .peripheral]
    )
    func refusesAttacks(role: LinkRole) async throws {
        let attacks = Attack.all(on: role)
        var shown: [(Attack, [Attacker.ExchangedPDU])] = []
        var lines = ["our host as \(role):"]
        let trace = try await withHostilePeers(role) { harness in
            let bonded = HostilePeerHarness.address(0, isHostile: false)
            try await harness.pairHonestly(with: bonded, stays: true)
            let bonds = await harness.host.bonds
            for (place, attack) in attacks.enumerated() {
                let address = HostilePeerHarness.address(place + 1, isHostile: true)
                let (outcome, passed, error) = try await harness.attack(attack.plan, from: address)
                #expect(attack.isRefused(by: outcome), "\(attack.name): \(outcome)")
                if role == .central { #expect(error != nil, "\(attack.name)") }
                #expect(await harness.host.bonds == bonds, "\(attack.name)")
                lines.append("  \(attack.name): \(outcome.summary)")
                if attack.forgesPublicKey { shown.append((attack, passed)) }
                let next = HostilePeerHarness.address(place + 1, isHostile: false)
                try await harness.pairHonestly(with: next)
            }
            #expect(await harness.host.bonds == bonds)
        }
        print(lines.joined(separator: "\n"))
        try await expectShown(shown, in: trace)
    }

    /// Expects that tshark shows each forged public key of 64 bytes, and the answer to it.
    private func expectShown(
        _ attacks: [(Attack, [Attacker.ExchangedPDU])],
        in trace: Trace
    ) async throws {
        let rows = try await SecurityManagerRow.all(in: trace)
        for (attack, passed) in attacks {
            guard case .refused(let reason) = attack.answer,
                let key = passed.first(where: { !$0.isOurs && $0.bytes.first == 0x0C }),
                key.bytes.count == 65
            else { continue }
            let abscissa = Array(key.bytes[1...32])
            let answers = rows.indices
                .filter { rows[$0].isReceived && rows[$0].publicKeyX == abscissa }
                .map { rows[($0 + 1)...].first { !$0.isReceived } }
            let expected = answers.filter { $0?.opcode == 0x05 && $0?.reason == reason.rawValue }
            #expect(!expected.isEmpty, "\(attack.name)")
        }
    }
}

/// A Security Manager PDU as tshark shows it.
struct SecurityManagerRow: Sendable {
    let isReceived: Bool
    let opcode: UInt8
    let reason: UInt8?
    let publicKeyX: [UInt8]

    private static let fields = [
        "hci_h4.direction", "btsmp.opcode", "btsmp.reason", "btsmp.public_key_x",
    ]

    static func all(in trace: Trace) async throws -> [SecurityManagerRow] {
        let tshark = try #require(PeerInstallation.find("tshark"), "tshark is not installed")
        let fields = Self.fields.flatMap { ["-e", $0] }
        let process = try ChildProcess(
            tshark,
            ["-n", "-r", trace.path, "-Y", "btsmp", "-T", "fields"] + fields
        )
        let (output, ending) = try await process.waitUntilEnd(within: Dissection.limit)
        guard ending == .exited(0) else {
            throw ProcessError.ended("tshark could not read \(trace.path)", log: process.log)
        }
        return output.split(separator: "\n").map(SecurityManagerRow.init)
    }

    private init(_ line: Substring) {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        isReceived = columns[0] == "0x01"
        opcode = Self.byte(columns[1]) ?? 0
        reason = Self.byte(columns[2])
        publicKeyX = JSON.string(columns[3].filter { $0 != ":" }).bytes
    }

    private static func byte(_ text: String) -> UInt8? { UInt8(text.dropFirst(2), radix: 16) }
}
