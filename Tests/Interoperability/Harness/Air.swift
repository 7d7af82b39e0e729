// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `lanyard air` with peers.
struct Air: Sendable {
    /// The time limit for all tasks of a central.
    static let visitLimit: Duration = .seconds(90)

    let peers: PeerGroup

    /// The address at which any host connects.
    let adapter: String

    /// Starts a Bumble accessory.
    func accessory(options: [String] = []) async throws -> Accessory {
        try await peers.accessory(.demo, on: adapter, options: options)
    }

    /// Runs a Bumble central with options of central.py. Returns its result.
    func central(options: [String] = []) async throws -> JSON {
        let script = PeerInstallation.scripts + "central.py"
        return try await peers.start(
            PeerInstallation.python,
            [script, "--adapter", adapter] + options,
            within: Self.visitLimit
        ).facts
    }
}

/// Gives `body` a virtual radio. Afterward the peers end, and Wireshark, if it is installed, checks
/// the packets between each host and its controller.
func withAir(
    scenario: String? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ body: (Air) async throws -> Void
) async throws {
    let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let traces = folder + "/traces"
    var arguments = ["air", "--json", "--until-end-of-input"]
    arguments += ["--listen", "tcp:127.0.0.1:0", "--trace", traces]
    if let scenario {
        try Data(scenario.utf8).write(to: URL(fileURLWithPath: folder + "/scenario.json"))
        arguments += ["--scenario", folder + "/scenario.json"]
    } else {
        arguments.append("--empty")
    }
    try await withPeers { peers in
        let air = try await peers.start(LanyardTool.path, arguments)
        let adapter = try #require(air.facts["listen"].elements.first?.text)
        try await body(Air(peers: peers, adapter: adapter))
    }
    guard Dissection.isPossible else { return }
    let names = try FileManager.default.contentsOfDirectory(atPath: traces)
    #expect(!names.isEmpty, sourceLocation: location)
    for name in names {
        let verdict = try await Dissection(of: traces + "/" + name)
        #expect(verdict.packetCount > 0, "\(name)", sourceLocation: location)
        #expect(verdict.malformed.isEmpty, "\(name)", sourceLocation: location)
    }
}
