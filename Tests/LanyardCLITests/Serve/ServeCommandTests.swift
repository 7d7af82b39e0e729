// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import Testing

@testable import LanyardCLI

@Suite("The command lanyard serve")
struct ServeCommandTests {
    private func run(_ arguments: [String]) async -> (
        ProcessStatus, output: String, remarks: String
    ) {
        let output = ScriptedAccessory.Recorder()
        let remarks = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { remarks.note($0) }
        )
        let status = await ProgramRun.run(["serve"] + arguments, on: console)
        return (status, output.lines.joined(), remarks.lines.joined())
    }

    @Test(
        "The random part of a random static address is neither all zero nor all one",
        arguments: [
            ("C0:00:00:00:00:00", false), ("C0:00:00:00:00:01", true),
            ("FF:FF:FF:FF:FF:FE", true), ("FF:FF:FF:FF:FF:FF", false),
            ("BF:FF:FF:FF:FF:FF", false),
        ]
    )
    func randomStatic(text: String, isValid: Bool) {
        #expect(((try? DeviceAddress.randomStatic(text)) != nil) == isValid)
    }

    @Test("--check checks the file and prints its database")
    func check() async {
        let (status, output, _) = await run([Examples.path("thermometer"), "--check"])
        #expect(status == .success)
        #expect(output.hasPrefix("Thermometer  ") && output.contains("Health Thermometer  1809"))
    }

    @Test("--check --json prints a valid database file with the given name")
    func checkJSON() async throws {
        let arguments = [Examples.path("thermometer"), "--check", "--json", "--name", "Other"]
        let (status, output, _) = await run(arguments)
        #expect(status == .success)
        #expect(try ServedAccessory(parsing: output).name == "Other")
    }

    @Test(
        "A command that fails exits with the code of its error",
        arguments: [
            (["/nonexistent/x", "--check"], .inputOutput),
            ([Examples.path("thermometer"), "--check", "--name", ""], .usage),
            (
                [
                    Examples.path("thermometer"), "--check", "--name",
                    String(repeating: "x", count: 249),
                ], .usage
            ),
            (
                [
                    Examples.path("thermometer"), "--adapter", "virtual", "--address",
                    "00:00:00:00:00:01",
                ],
                .usage
            ),
            (
                [
                    Examples.path("thermometer"), "--no-store", "--adapter",
                    "unix:/nonexistent/x", "--timeout", "60",
                ], .adapterUnavailable
            ),
            ([Examples.root + "README.md", "--check"], .badData),
        ] as [([String], ProcessStatus)]
    )
    func refusals(arguments: [String], expected: ProcessStatus) async {
        let (status, output, remarks) = await run(arguments)
        #expect(status == expected, "\(remarks)")
        #expect(output.isEmpty && remarks.contains("lanyard: "))
    }

    @Test("An interruption ends the command with success")
    func interruption() async throws {
        let lines = ScriptedAccessory.Recorder()
        let remarks = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { lines.note($0) },
            remark: { remarks.note($0) }
        )
        let arguments = [
            "serve", Examples.path("thermometer"), "--adapter", "virtual", "--no-store",
            "--address", "C4:F0:00:00:00:07", "--json", "--timeout", "300",
        ]
        let task = Task {
            defer { lines.end() }
            return await ProgramRun.run(arguments, on: console)
        }
        await lines.waitForLine()
        task.cancel()
        #expect(await task.value == .success, "\(remarks.lines)")
        let ready =
            #","event":"ready","name":"Thermometer","address":"C4:F0:00:00:00:07","services":2,"#
            + #""characteristics":4}"#
        #expect(lines.lines.count == 1 && lines.lines.first?.hasPrefix(#"{"time":""#) == true)
        #expect(lines.lines.first?.hasSuffix(ready + "\n") == true)
    }
}

@Suite("docs/SERVING.md")
struct ServingDocumentTests {
    private let document: String

    init() throws {
        document = try String(contentsOfFile: Examples.root + "docs/SERVING.md", encoding: .utf8)
    }

    @Test("Every value and characteristic in docs/SERVING.md can be served")
    func examples() throws {
        let blocks = document.components(separatedBy: "```json\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        try #require(blocks.count == 2)
        for value in blocks[0].split(separator: "\n") {
            _ = try ServedAccessory(
                parsing: Self.database(#"{"uuid": "2A19", "properties": [], "value": \#(value)}"#)
            )
        }
        let characteristics = blocks[1].components(separatedBy: "\n\n")
        #expect(characteristics.count == 3)
        for characteristic in characteristics {
            _ = try ServedAccessory(parsing: Self.database(characteristic))
        }
    }

    @Test("Every line in the last block of docs/SERVING.md is a valid typed command")
    func commands() throws {
        let block = try #require(document.components(separatedBy: "```\n").dropLast().last)
        let lines = block.split(separator: "\n")
        #expect(lines.count == 4)
        for line in lines { _ = try TypedCommand(String(line)) }
    }

    @Test("docs/SERVING.md names every number format and the main keys and permissions")
    func vocabulary() {
        for format in NumberFormat.allCases { #expect(document.contains("`\(format.rawValue)`")) }
        for word in [
            "ramp", "sine", "counter", "list", "text", "hex", "pattern", "every", "echo",
            "readAuthorized", "notifyEncrypted", "minimumKeySize", "maximumLength",
        ] {
            #expect(document.contains(word))
        }
    }

    private static func database(_ characteristic: some StringProtocol) -> String {
        #"{"services": [{"uuid": "180F", "characteristics": [\#(characteristic)]}]}"#
    }
}
