// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

/// A command line of `lanyard` in a shell block of a document.
struct DocumentedCommand: Hashable, Sendable, CustomTestStringConvertible {
    /// The path of the document in the package.
    let document: String
    /// The line as it is in the document.
    let line: String

    var testDescription: String { "\(document): \(line)" }

    /// The line as the test's shell runs it. A comment at its end stays, because a shell ignores
    /// it.
    var shellLine: String { line.replacing("swift run lanyard", with: "lanyard") }

    /// The documents with command lines.
    static let documents: [String] = {
        let guides = (try? FileManager.default.contentsOfDirectory(atPath: root("docs"))) ?? []
        return ["README.md", "CONTRIBUTING.md", "Examples/README.md"]
            + guides.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
    }()

    /// Returns the command lines of a document, in order.
    static func all(in document: String) throws -> [DocumentedCommand] {
        let text = try String(contentsOfFile: root(document), encoding: .utf8)
        var isShell = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            if line.hasPrefix("```") {
                isShell = line == "```sh"
                return nil
            }
            let line = line.trimmingCharacters(in: .whitespaces)
            guard isShell, line.contains(#/^(echo y \| )?(swift run )?lanyard /#) else {
                return nil
            }
            return DocumentedCommand(document: document, line: line)
        }
    }

    static func root(_ path: String) -> String { LanyardTool.packageRoot + "/" + path }
}

extension DocumentedCommand {
    /// The way in which a command ends.
    enum Ending: Sendable {
        /// By itself, with one of these exit codes.
        case byItself([Int32])
        /// By Ctrl-C after it has printed this text.
        case interrupted(after: String)
    }

    /// The reason why a command cannot run in a test; `nil` if it can.
    var obstacle: String? {
        Self.obstacles.first { line.contains($0.key) }?.value
    }

    /// The texts that mark a command line which a test cannot run, each with what the test lacks.
    static let obstacles = [
        "--adapter hci0": "an adapter of the system",
        "--adapter serial:": "a controller on a serial port",
        "-oob": "an accessory that transfers data out of band, which no virtual one does",
        "capture.pcap": "a sniffer's capture of the same link",
        "127.0.0.1:6410": "the program of RootCanal",
    ]

    /// The commands that do not end by themselves with exit code 0.
    private static let endings: [(beginning: String, ending: Ending)] = [
        ("lanyard scan", .interrupted(after: "dBm")),
        ("lanyard serve", .interrupted(after: "ready: ")),
        ("lanyard air", .interrupted(after: "ready: ")),
        ("lanyard live", .interrupted(after: "http://127.0.0.1:")),
        ("lanyard channel listen", .interrupted(after: "listening")),
        // The machine may have no adapter, and the app in the example lacks a key.
        ("lanyard doctor", .byItself([0, 78])),
    ]

    /// Whether the command needs the previous command, which still runs.
    var needsEarlier: Bool { line.contains("# in another terminal") }

    var ending: Ending {
        if shellLine.hasPrefix("lanyard subscribe"), !shellLine.contains("--count") {
            return .interrupted(after: "bpm")
        }
        return Self.endings.first { shellLine.hasPrefix($0.beginning) }?.ending ?? .byItself([0])
    }
}
