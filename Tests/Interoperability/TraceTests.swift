// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing

/// Wireshark's dissector, an independent implementation, checks the traces of the other tests.
/// These tests show that the dissector detects errors, and that traces are complete.
@Suite(.needsWireshark) struct TraceTests {
    @Test("Wireshark's dissector reports a malformed packet")
    func malformedPacket() async throws {
        let trace = Trace()
        let disconnect: [UInt8] = [0x01, 0x06, 0x04, 0x03, 0x40, 0x00, 0x13]
        try write([disconnect, Array(disconnect.prefix(4)), disconnect], to: trace)
        let verdict = try await Dissection(of: trace.path)
        #expect(verdict.packetCount == 3)
        #expect(verdict.malformed.count == 1)
        #expect(verdict.malformed.first?.hasPrefix("2: ") == true)
    }

    @Test("The reader refuses a truncated trace")
    func truncatedTrace() throws {
        let trace = Trace()
        try write([[0x01, 0x03, 0x0C, 0x00]], to: trace)
        let whole = try Data(contentsOf: URL(fileURLWithPath: trace.path))
        try whole.dropLast().write(to: URL(fileURLWithPath: trace.path))
        #expect(throws: (any Error).self) { try trace.countPackets() }
    }

    /// A program that is killed leaves a trace that can be read, although the last packets may be
    /// missing.
    @Test(
        "A killed program leaves a readable trace",
        .needsPeers,
        arguments: ControllerKind.available
    )
    func killedProgram(kind: ControllerKind) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(.demo, on: controllers.adapters[0])
            let trace = Trace()
            let tool = try LanyardTool.start(
                ["subscribe", accessory.address, "2A37", "--trace", trace.path],
                adapter: controllers.adapters[1]
            )
            for _ in 0..<3 { #expect(try await tool.nextLine(within: .seconds(90)) != nil) }
            tool.kill()
            #expect(try trace.countPackets() > 50)
            try await trace.expectWellFormed()
        }
    }

    private func write(_ packets: [[UInt8]], to trace: Trace) throws {
        var bytes = Btsnoop.header
        for packet in packets {
            let record = Btsnoop.Record(
                microsecondsSince1970: 0,
                direction: .sent,
                packet: packet[...]
            )
            Btsnoop.append(record, to: &bytes)
        }
        try Data(bytes).write(to: URL(fileURLWithPath: trace.path))
    }
}
