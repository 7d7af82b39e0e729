// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports

/// A printer of a packet log.
struct TracePrinter: Sendable {
    let filter: TraceFilter
    let isJSON: Bool
    let console: Console

    /// Prints the file at `path`. Packets before a fault are printed, and the fault is thrown.
    func print(_ path: String) throws {
        var decoder = TraceDecoder()
        var output = BufferedOutput(self)
        let end = Result {
            try TraceFile.read(path, willRead: { try output.flush() }) { record in
                try Task.checkCancellation()
                try output.print(decoder.decode(record), at: record.microsecondsSince1970)
            }
        }
        try output.flush()
        do { try end.get() } catch { throw Self.failure(error, path) }
    }

    /// Prints the packets of a log, or of all logs of a directory, as they are written.
    func follow(_ path: String) async throws {
        var decoders: [String: TraceDecoder] = [:]
        var output = BufferedOutput(self)
        var logs = FollowedLogs(path)
        try await logs.follow { record, name in
            let line = decoders[name, default: TraceDecoder()].decode(record)
            try output.print(line, at: record.microsecondsSince1970)
        } rest: {
            try output.flush()
        }
    }

    static func failure(_ error: any Error, _ path: String) -> ProgramFailure {
        let name = TerminalText.escape(path)
        switch error {
        case let error as BtsnoopError:
            if case .notBtsnoop = error, let failure = ProgramFailure.otherFile(path) {
                return failure
            }
            return ProgramFailure(.badData, "\(name): \(error)", advice: advice(for: error))
        case TransportError.system(_, ENOENT, _):
            return ProgramFailure(
                .inputOutput,
                "\(name): no such file",
                advice: "check the path"
            )
        case let error as TransportError:
            return ProgramFailure(.inputOutput, TerminalText.escape("\(error)"))
        default: return ProgramFailure(error, during: "reading \(name)")
        }
    }

    private static func advice(for error: BtsnoopError) -> String {
        switch error {
        case .torn(let offset, _) where offset > 0: "all packets before it are printed"
        case .malformedRecord: "the packets after it cannot be read"
        default: "give a btsnoop file with H4 packets, as --trace writes it"
        }
    }
}

/// A buffer for the lines that a filter admits, so that a long file needs few system calls.
struct BufferedOutput {
    private let printer: TracePrinter
    private var text = ""
    private var start: Int64?

    private static let limit = 1 << 15

    init(_ printer: TracePrinter) {
        self.printer = printer
    }

    /// Prints the line of a packet, if it has one. Times count from the first packet.
    mutating func print(_ line: TraceLine?, at microseconds: Int64) throws {
        let origin = start ?? microseconds
        start = origin
        guard let line, printer.filter.admits(line) else { return }
        text += (printer.isJSON ? line.json.compact : line.text(since: origin)) + "\n"
        if text.utf8.count >= Self.limit { try flush() }
    }

    mutating func flush() throws {
        guard !text.isEmpty else { return }
        defer { text = "" }
        try printer.console.write(text)
    }
}
