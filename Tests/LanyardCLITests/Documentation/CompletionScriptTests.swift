// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

@testable import LanyardCLI

@Suite("The manual page and the completions")
struct CompletionScriptTests {
    private static let limit = Duration.seconds(120)

    /// Runs a shell command with the program in its path. Returns the output.
    private func shell(_ line: String, adapter: String = "") async throws -> String {
        let tool = URL(fileURLWithPath: LanyardTool.path).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let process = try ChildProcess(
            "/bin/bash",
            ["-c", line],
            environment: ["PATH": "\(tool):\(path)", "LANYARD_ADAPTER": adapter]
        )
        let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
        #expect(ending == .exited(0), "\(process.log)")
        return output
    }

    /// Returns the words that bash offers at the end of a command line.
    private func completions(_ words: [String], adapter: String = "") async throws -> [String] {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            cd '\(DocumentedCommand.root("Examples/Scripts"))'
            source <(lanyard --generate-completion-script bash)
            COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
            COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
            _lanyard lanyard "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        return try await shell(script, adapter: adapter).split(separator: "\n").map(String.init)
    }

    @Test("bash completes commands, adapters, files, characteristics and virtual accessories")
    func bash() async throws {
        #expect(try await completions(["lanyard", "sh"]) == ["shell"])
        #expect(try await completions(["lanyard", "scan", "--adapter", "virt"]) == ["virtual"])
        #expect(try await completions(["lanyard", "run", "thermo"]) == ["thermometer.lanyard"])
        let targets = try await completions(["lanyard", "shell", "T"], adapter: "virtual")
        #expect(targets == ["Thermometer"])
        #expect(try await completions(["lanyard", "shell", "T"]).isEmpty)
        let chosen = ["lanyard", "explore", "--adapter", "virtual", "Mess"]
        #expect(try await completions(chosen).contains { $0.hasPrefix("Message") })
        let read = ["lanyard", "read", "Thermometer", "battery-lev"]
        #expect(try await completions(read).contains("battery-level"))
    }

    @Test("The scripts for zsh and fish complete commands and options", arguments: ["zsh", "fish"])
    func others(name: String) async throws {
        let script = try await shell("lanyard --generate-completion-script \(name)")
        for text in ["shell", "run", "keep-going", "lanyard", "---completion"] {
            #expect(script.contains(text), "\(text)")
        }
    }

    @Test("The virtual accessories are those of the adapter on the command line")
    func targets() {
        let examples = CommandLineCompletion.targets(
            ["lanyard", "--adapter", "virtual"],
            environment: [:]
        )
        #expect(examples.contains("Front Door") && !examples.contains("Beacon"))
        let scenario = DocumentedCommand.root("Examples/Scenarios/walk.json")
        let walk = CommandLineCompletion.targets(
            ["lanyard", "--adapter=virtual:\(scenario)"],
            environment: ["LANYARD_ADAPTER": "virtual"]
        )
        #expect(!walk.isEmpty && walk != examples)
        #expect(CommandLineCompletion.targets([], environment: ["LANYARD_ADAPTER": "hci0"]).isEmpty)
        #expect(CommandLineCompletion.targets(["--adapter"], environment: [:]).isEmpty)
        #expect(CommandLineCompletion.adapters().last == "virtual")
    }

    @Test("The manual page describes the shell, scripts, and the exit codes")
    func manual() async throws {
        let script = DocumentedCommand.root("Packaging/man-page")
        let page = try await shell(
            "lanyard --experimental-dump-help | '\(script)' 1.2.3 2026-01-31"
        )
        for text in [
            ".SS \"lanyard shell\"", ".SS \"lanyard run\"", "\\fB\\-\\-keep\\-going\\fR",
            "\\fB1\\fR\nAn expectation of a script was not met.", "shell\\-history",
            "LANYARD_TIMEOUT",
        ] {
            #expect(page.contains(text), "\(text)")
        }
    }
}
