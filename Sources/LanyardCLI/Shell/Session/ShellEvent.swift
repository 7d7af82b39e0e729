// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import JSONText

/// An event of the shell or of a script. With `--json`, each event is one object.
enum ShellEvent: Sendable {
    /// The result of the command in this line.
    case result(line: Int, command: String, JSON)
    /// A subscribed value.
    case value(ValueReport)
    /// The end of a link that the shell did not end.
    case linkEnded(DeviceAddress, name: String?, reason: String)
    /// The comparison of a result with an expectation.
    case expectation(line: Int, isMet: Bool, expected: String, actual: String)
    /// The failure of a command that was expected to fail, with its reason.
    case failedAsExpected(line: Int, String)
    /// The failure of a line.
    case failed(line: Int, ProgramFailure)
    /// The end of a script without a failure.
    case finished(script: String, steps: Int, Duration)

    /// Returns the event on one line, for people, at the time of the event; `nil` if the shell
    /// prints the event otherwise.
    func line(at date: Date) -> String? {
        switch self {
        case .value(let report): report.line(at: date, isNamed: true)
        case .linkEnded(let address, let name, let reason):
            "The link to \(Self.peer(address, name)) ended: \(reason)."
        case .finished(let script, let steps, let duration):
            "\(script): \(steps) \(steps == 1 ? "step" : "steps") passed in "
                + SecondsText.describe(duration)
        case .failedAsExpected(_, let reason): "failed, as expected: \(reason)"
        case .result, .expectation, .failed: nil
        }
    }

    private static func peer(_ address: DeviceAddress, _ name: String?) -> String {
        name.map { TerminalText.escape($0) } ?? AddressText.describe(address)
    }

    /// The event as an object, without its time.
    var json: JSON {
        switch self {
        case .result(let line, let command, let result):
            Self.object(
                "result",
                .init("line", .integer(line)),
                .init("command", .string(command)),
                .init("result", result)
            )
        case .value(let report):
            if case .object(let members) = report.json {
                .object([.init("event", .string("value"))] + members)
            } else {
                report.json
            }
        case .linkEnded(let address, let name, let reason):
            Self.object(
                "linkEnded",
                .init("address", .string(address.description)),
                .init("addressType", .string(AddressText.name(of: address.kind))),
                .init("name", .string(orNull: name)),
                .init("reason", .string(reason))
            )
        case .expectation(let line, let isMet, let expected, let actual):
            Self.object(
                "expectation",
                .init("line", .integer(line)),
                .init("isMet", .bool(isMet)),
                .init("expected", .string(expected)),
                .init("actual", .string(actual))
            )
        case .failedAsExpected(let line, let reason):
            ShellEvent.expectation(line: line, isMet: true, expected: "a failure", actual: reason)
                .json
        case .failed(let line, let failure):
            Self.object(
                "failed",
                .init("line", .integer(line)),
                .init("error", .string(failure.happened)),
                .init("advice", .string(orNull: failure.advice.isEmpty ? nil : failure.advice)),
                .init("exitCode", .integer(Int(failure.status.rawValue))),
                .init("meaning", .string(failure.status.meaning))
            )
        case .finished(let script, let steps, let duration):
            Self.object(
                "finished",
                .init("script", .string(script)),
                .init("steps", .integer(steps)),
                .init("seconds", .number((duration / .milliseconds(1)).rounded() / 1_000))
            )
        }
    }

    private static func object(_ event: String, _ members: JSON.Member...) -> JSON {
        .object([.init("event", .string(event))] + members)
    }
}

/// The result of an operation.
struct ShellOutput: Sendable {
    /// The text for people, without a line end.
    var text: String
    /// The result for programs.
    var json: JSON
    /// The value of a characteristic; `nil` for other results.
    var bytes: [UInt8]?
    /// The meaning of the value; `nil` if it is not known.
    var meaning: String?
    /// Whether the operation has printed its result itself.
    var isPrinted = false

    init(_ text: String, _ json: JSON) {
        self.text = text
        self.json = json
    }

    init(_ report: ValueReport) {
        self.init(report.line, report.json)
        bytes = report.bytes
        meaning = report.meaning
    }

    /// The result for expectations and variables.
    var subject: ScriptSubject { ScriptSubject(text: text, bytes: bytes, meaning: meaning) }
}

/// A printer of the shell's events.
struct ShellPrinter: Sendable {
    let console: Console
    let isJSON: Bool
    /// Receives the events in place of the console; `nil` for the console.
    var receive: (@Sendable (ShellEvent) -> Void)?

    /// Prints an event that has a line or an object.
    func report(_ event: ShellEvent, at date: Date = Date()) throws {
        if let receive { return receive(event) }
        if isJSON { return try console.print(event.json.timed(date).compact) }
        if let line = event.line(at: date) { try console.print(line) }
    }

    /// Prints the result of a command.
    func report(_ output: ShellOutput, of command: String, line: Int) throws {
        guard !output.isPrinted else { return }
        if isJSON { return try report(.result(line: line, command: command, output.json)) }
        if !output.text.isEmpty { try console.print(output.text) }
    }
}
