// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Testing

@testable import LanyardCLI

@Suite("Printing packet logs") struct TracePrinterTests {
    private struct Outcome {
        let lines: [Substring]
        let failure: ProgramFailure?
    }

    /// A log of an HCI Reset and its Command Complete, a second apart.
    private static let log: [UInt8] = {
        var bytes = Btsnoop.header
        let packets: [(Btsnoop.Direction, [UInt8])] = [
            (.sent, [1, 3, 0x0C, 0]), (.received, [4, 0x0E, 4, 1, 3, 0x0C, 0]),
        ]
        for (index, (direction, packet)) in packets.enumerated() {
            let record = Btsnoop.Record(
                microsecondsSince1970: Int64(index) * 1_000_000,
                direction: direction,
                packet: packet[...]
            )
            Btsnoop.append(record, to: &bytes)
        }
        return bytes
    }()

    private func print(_ bytes: [UInt8], isJSON: Bool = false) throws -> Outcome {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lanyard-\(UUID().uuidString).btsnoop"
        )
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { _ in }
        )
        let printer = TracePrinter(filter: TraceFilter(), isJSON: isJSON, console: console)
        let result = Result { try printer.print(file.path) }
        let lines = output.lines.joined().split(separator: "\n")
        guard case .failure(let error) = result else { return Outcome(lines: lines, failure: nil) }
        return Outcome(lines: lines, failure: try #require(error as? ProgramFailure))
    }

    @Test("A log is printed with a line for each packet and the time since the first")
    func printsLog() throws {
        let outcome = try print(Self.log)
        #expect(outcome.failure == nil)
        try #require(outcome.lines.count == 2)
        #expect(outcome.lines[0] == "    0.000000 >        hci   Reset")
        #expect(outcome.lines[1].hasPrefix("    1.000000 <        hci   Command Complete"))
    }

    @Test("With --json, every line is a JSON object")
    func printsJSON() throws {
        let outcome = try print(Self.log, isJSON: true)
        #expect(outcome.lines.count == 2)
        for line in outcome.lines {
            #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
        }
    }

    @Test("If a file ends within a packet, the earlier packets are printed, and the command fails")
    func reportsTornFiles() throws {
        let whole = [Self.log.count, Btsnoop.header.count]
        for length in 0..<Self.log.count where !whole.contains(length) {
            let outcome = try print(Array(Self.log.prefix(length)))
            let isAtRecord = length == Btsnoop.header.count + 24 + 4
            #expect((outcome.failure == nil) == isAtRecord, "cut to \(length)")
            if let failure = outcome.failure { #expect(failure.status == .badData) }
            #expect(outcome.lines.count == (length < Btsnoop.header.count + 28 ? 0 : 1))
        }
    }

    @Test("A log without packets is valid")
    func printsEmptyLog() throws {
        let outcome = try print(Btsnoop.header)
        #expect(outcome.failure == nil && outcome.lines.isEmpty)
    }

    @Test("The failure for a pcapng file contains the command that converts the file")
    func refusesPcapng() throws {
        let failure = try print(PcapngWriter.header).failure
        #expect(failure?.happened.hasSuffix("is a pcapng file") == true)
        #expect(failure?.advice.contains("editcap -F pcap") == true)
    }

    @Test("A file that is not a packet log is refused")
    func refusesOtherFiles() throws {
        #expect(try print(Array("hello, world, this is no log".utf8)).failure?.status == .badData)
        var other = Self.log
        other[15] = 0xE9
        #expect(try print(other).failure?.status == .badData)
    }
}
