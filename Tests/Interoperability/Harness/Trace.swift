// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Synchronization
import Testing

/// A btsnoop file of a test, deleted with the object unless `keep` was called.
final class Trace: Sendable {
    /// The side whose packets are checked.
    enum Sides: Sendable {
        case both
        /// Only our host's packets, because the peer sends invalid ones on purpose.
        case ours
    }

    let path = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString).btsnoop"
    private let isKept = Atomic(false)

    deinit {
        if !isKept.load(ordering: .relaxed) { unlink(path) }
    }

    /// Keeps the file for a later analysis, and prints its path.
    func keep() {
        isKept.store(true, ordering: .relaxed)
        print("The packets are in \(path)")
    }

    /// Returns the number of packets that our own reader finds.
    func countPackets() throws -> Int {
        var reader = BtsnoopReader()
        reader.append(Array(try Data(contentsOf: URL(fileURLWithPath: path)))[...])
        var count = 0
        while try reader.next() != nil { count += 1 }
        try reader.finish()
        return count
    }

    /// Has Wireshark's dissector read the file. It must find `count` packets and none malformed.
    ///
    /// - Parameter count: The number of packets that were written. By default, the number that our
    ///   own reader finds.
    func expectWellFormed(
        count: Int? = nil,
        of sides: Sides = .both,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let verdict = try await Dissection(of: path, judging: sides)
        let expected = try count ?? countPackets()
        #expect(verdict.packetCount == expected, sourceLocation: location)
        #expect(verdict.malformed.isEmpty, sourceLocation: location)
        #expect(try countPackets() == expected, sourceLocation: location)
    }
}

/// The result of tshark for a trace.
struct Dissection: Sendable {
    /// The time limit for one trace.
    static let limit: Duration = .seconds(60)

    /// Whether tshark is installed. With `CI=true`, tshark is required.
    static let isPossible =
        PeerInstallation.isContinuousIntegration || PeerInstallation.find("tshark") != nil

    /// The number of packets that tshark finds in the file.
    let packetCount: Int

    /// The packets that tshark finds malformed: number and description.
    let malformed: [String]

    init(of path: String, judging sides: Trace.Sides = .both) async throws {
        let tshark = try #require(PeerInstallation.find("tshark"), "tshark is not installed")
        let fields = DissectedPacket.fields.flatMap { ["-e", $0] }
        let process = try ChildProcess(tshark, ["-n", "-r", path, "-T", "fields"] + fields)
        let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
        guard ending == .exited(0) else {
            throw ProcessError.ended("tshark could not read \(path)", log: process.log)
        }
        let packets = output.split(separator: "\n").map(DissectedPacket.init)
        packetCount = packets.count
        malformed =
            packets
            .filter { $0.isWrong && !$0.isExcused && !(sides == .ours && $0.isReceived) }
            .map(\.description)
    }
}

/// One line of tshark's output, for one packet.
private struct DissectedPacket: CustomStringConvertible {
    static let fields = [
        "frame.number", "hci_h4.direction", "_ws.malformed", "_ws.expert.group",
        "btatt.opcode", "btatt.length", "frame.len", "bthci_evt.code", "bthci_evt.param_length",
        "bthci_evt.status", "_ws.col.Info",
    ]

    /// Wireshark's expert group for malformed packets. Other groups contain remarks, for example on
    /// requests without an answer.
    private static let malformedGroup = 0x0700_0000

    private let values: [String: String]

    init(_ line: Substring) {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        values = Dictionary(uniqueKeysWithValues: zip(Self.fields, columns.map(String.init)))
    }

    var isWrong: Bool {
        let groups = list("_ws.expert.group").compactMap { Int($0) }
        return !self["_ws.malformed"].isEmpty || groups.contains(Self.malformedGroup)
    }

    /// Whether the test accepts the packet although tshark 4.0 reports it as malformed: tshark is
    /// wrong, or a peer made the packet.
    var isExcused: Bool {
        isEmptyRead || isShortInclude || (isReceived && isRefusalWithoutParameters)
    }

    var isReceived: Bool { self["hci_h4.direction"] == "0x01" }

    /// Whether the packet is a Read Blob Response without a value, which ends a long read if the
    /// value's last part filled a response.
    private var isEmptyRead: Bool {
        list("btatt.opcode").first == "0x0d" && self["frame.len"] == "10"
    }

    /// Whether the packet has an include declaration without a UUID, for a service with a 128-bit
    /// UUID (Vol 3, Part G, 3.2).
    private var isShortInclude: Bool {
        list("btatt.opcode").first == "0x09" && list("btatt.length").first == "6"
    }

    /// Whether the packet is Bumble's answer to a failed command, which ends after the status.
    private var isRefusalWithoutParameters: Bool {
        self["bthci_evt.code"] == "0x0e" && self["bthci_evt.param_length"] == "4"
            && self["bthci_evt.status"] != "0x00"
    }

    var description: String { "\(self["frame.number"]): \(self["_ws.col.Info"])" }

    private subscript(field: String) -> String { values[field] ?? "" }

    private func list(_ field: String) -> [Substring] { self[field].split(separator: ",") }
}
