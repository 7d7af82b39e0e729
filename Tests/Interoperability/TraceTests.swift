// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Wireshark's dissector, which knows nothing of us, reads what we and the peers said.
@Suite(.needsPeers, .needsTshark, .serialized) struct TraceTests {
    static let limit: Duration = .seconds(60)

    /// What tshark 4.0 calls malformed although it is not, or although it is the peer's doing.
    ///
    /// An include declaration without the UUID of its service, which is how 128-bit ones travel
    /// (Vol 3, Part G, 3.2); a Read Blob Response without octets, which ends a value whose length
    /// is a multiple of what a response holds; and the Command Complete without its handle with
    /// which Bumble's controller refuses LE Set Data Length.
    static let excused = [
        "(btatt.opcode == 0x09 && btatt.length == 6)",
        "(btatt.opcode == 0x0d && frame.len == 10)",
        "(bthci_evt.opcode == 0x2022 && bthci_evt.param_length == 4)",
    ].joined(separator: " || ")

    @Test(arguments: ControllerKind.available, [Accessory.Profile.demo, .large])
    func tsharkFindsNoMalformedPacket(
        kind: ControllerKind,
        profile: Accessory.Profile
    ) async throws {
        let trace = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).btsnoop"
        defer { unlink(trace) }
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(profile, on: controllers.adapters[0])
            let result = try await LanyardTool.run(
                "explore",
                accessory.address,
                "--json",
                "--trace",
                trace,
                adapter: controllers.adapters[1]
            )
            try #require(result.succeeded, "\(result.errors)")
        }
        let sent = "hci_h4.direction == 0x00"
        let bad = "(_ws.malformed || _ws.expert.severity >= 8388608)"
        #expect(try await dissect(trace, filter: "\(bad) && \(sent)") == [])
        #expect(try await dissect(trace, filter: "\(bad) && !(\(Self.excused))") == [])
        #expect(try await dissect(trace, filter: "btatt && \(sent)").count > 50)
        #expect(try await dissect(trace, filter: "bthci_cmd && \(sent)").count > 10)
    }

    @Test func tsharkWouldFindAMalformedPacket() async throws {
        let trace = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).btsnoop"
        defer { unlink(trace) }
        // A Disconnect command that ends before its three octets of parameters.
        let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
        let record: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0]
        let time: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        let packet: [UInt8] = [0x01, 0x06, 0x04, 0x03]
        try Data(header + record + time + packet).write(to: URL(fileURLWithPath: trace))
        #expect(try await dissect(trace, filter: "_ws.malformed").count == 1)
    }

    /// The packets that the filter finds, one line each.
    private func dissect(_ trace: String, filter: String) async throws -> [Substring] {
        let tshark = try #require(PeerInstallation.find("tshark"))
        let process = try ChildProcess(tshark, ["-r", trace, "-Y", filter])
        let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
        #expect(ending == .exited(0), "\(process.log)")
        return output.split(separator: "\n")
    }
}
