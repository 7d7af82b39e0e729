// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What Wireshark's dissector finds in a trace.
struct Dissection: Sendable {
    /// The time limit for one trace.
    static let limit: Duration = .seconds(60)

    /// Whether Wireshark's programs are installed. With `CI=true`, they are required.
    static let isPossible =
        PeerInstallation.isContinuousIntegration
        || ["sharkd", "tshark"].allSatisfy { PeerInstallation.find($0) != nil }

    /// The number of packets in the file.
    let packetCount: Int

    /// The malformed packets: number and description.
    let malformed: [String]

    init(of path: String, judging sides: Trace.Sides = .both) async throws {
        self = try await Dissector.shared.dissect(path, judging: sides)
    }

    fileprivate init(packetCount: Int, malformed: [String]) {
        self.packetCount = packetCount
        self.malformed = malformed
    }
}

/// Wireshark's dissector as a process that reads one trace after the other. The start of tshark takes
/// several times as long as the work for a trace.
private final class Dissector: Sendable {
    static let shared = Dissector()

    private let turns = AsyncSemaphore(limit: 1)
    private let state = Mutex<(process: ChildProcess?, requestCount: Int)>((nil, 0))

    func dissect(_ path: String, judging sides: Trace.Sides) async throws -> Dissection {
        await turns.wait()
        defer { turns.signal() }
        _ = try await answer(to: "load", ["file": .string(path)])
        let status = try await answer(to: "status")
        let packets = try await answer(to: "frames", ["filter": .string(filter(for: sides))])
        guard let count = status["frames"].integer else {
            throw ProcessError.ended("sharkd does not count the packets: \(status)", log: "")
        }
        return Dissection(packetCount: count, malformed: packets.elements.map(Self.description))
    }

    /// Returns the result of a method of sharkd. The process starts at the first request.
    private func answer(
        to method: String,
        _ parameters: [String: JSON] = [:]
    ) async throws -> JSON {
        let (process, number) = try state.withLock { state in
            state.requestCount += 1
            let running = try state.process ?? Self.launch()
            state.process = running
            return (running, state.requestCount)
        }
        // sharkd accepts the parameters of a method only after its name.
        let request = """
            {"jsonrpc":"2.0","id":\(number),"method":"\(method)",\
            "params":\(try JSON.object(parameters).line)}
            """
        do {
            process.write(line: request)
            let line = try await process.nextLine(within: Dissection.limit) ?? ""
            guard case .object(let answer) = try JSON(parsing: line), let result = answer["result"],
                answer["id"]?.integer == number
            else { throw ProcessError.ended("sharkd, \(method): \(line)", log: process.log) }
            return result
        } catch {
            // The next trace gets a new process.
            process.kill()
            state.withLock { $0.process = nil }
            throw error
        }
    }

    private static func launch() throws -> ChildProcess {
        guard let path = PeerInstallation.find("sharkd") else {
            throw ProcessError.ended("sharkd is not installed", log: "")
        }
        return try ChildProcess(path, ["-"])
    }

    private static func description(of packet: JSON) -> String {
        let columns = packet["c"].elements.compactMap(\.text)
        return "\(columns.first ?? ""): \(columns.last ?? "")"
    }
}

// MARK: - The filter for malformed packets

extension Dissector {
    /// Wireshark's marks of malformed packets. Other expert groups contain remarks, for example on
    /// requests without an answer.
    private static let malformed = #"_ws.malformed || _ws.expert.group == "Malformed""#

    /// The packets that the tests accept although Wireshark 4.0 reports them as malformed: Wireshark
    /// is wrong, or a peer made the packet.
    private static let excused = [
        // A Read Blob Response without a value, which ends a long read if the value's last part
        // filled a response.
        "btatt.opcode == 0x0d && frame.len == 10",
        // An include declaration without a UUID, for a service with a 128-bit UUID (Vol 3, Part G,
        // 3.2).
        "btatt.opcode == 0x09 && btatt.length == 6",
        // Bumble's answer to a failed command, which ends after the status.
        """
        hci_h4.direction == 1 && bthci_evt.code == 0x0e && bthci_evt.param_length == 4 \
        && bthci_evt.status > 0
        """,
    ]

    /// Returns the display filter for the malformed packets of these sides.
    private func filter(for sides: Trace.Sides) -> String {
        var accepted = Self.excused
        if sides == .ours { accepted.append("hci_h4.direction == 1") }
        // sharkd keeps the packets that each filter has found, even after it has loaded another
        // file. A number that no packet has makes the filter of each trace a new one.
        let distinction = 1_000_000_000 + state.withLock { $0.requestCount }
        return
            (["(\(Self.malformed))"] + accepted.map { "!(\($0))" }
            + ["frame.number != \(distinction)"]).joined(separator: " && ")
    }
}
