// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import BluetoothValues
import JSONText

/// The failure of a command: the event, and advice on the next step.
struct ProgramFailure: Error, Equatable, Sendable {
    let status: ProcessStatus
    /// The event, without a period. Safe to print.
    let happened: String
    /// The advice; empty if there is none.
    let advice: String

    init(_ status: ProcessStatus, _ happened: String, advice: String = "") {
        self.status = status
        self.happened = happened
        self.advice = advice
    }

    /// The one line that goes to standard error.
    var line: String {
        "lanyard: " + happened + (advice.isEmpty ? "" : "; " + advice)
    }

    /// The failure for programs, on one line.
    var json: JSON {
        .object([
            .init("error", .string(happened)),
            .init("advice", .string(orNull: advice.isEmpty ? nil : advice)),
            .init("exitCode", .integer(Int(status.rawValue))),
            .init("meaning", .string(status.meaning)),
        ])
    }

    /// The failure of a run that was canceled, for example by Ctrl-C.
    static let interrupted = ProgramFailure(.interrupted, "interrupted")

    /// The failure of a run after the reader of standard output closed it.
    static let outputClosed = ProgramFailure(.outputClosed, "")

    /// Returns the failure of an invalid command line.
    static func usage(_ happened: String, advice: String = "") -> ProgramFailure {
        ProgramFailure(.usage, happened, advice: advice)
    }

    /// Returns the failure of a step that took longer than its limit.
    static func timedOut(_ step: String, after limit: Duration) -> ProgramFailure {
        ProgramFailure(
            .timedOut,
            "\(step): no answer within \(SecondsText.describe(limit))",
            advice: "check that the accessory is on and in range, or allow more time with --timeout"
        )
    }
}

/// The text of a duration.
enum SecondsText {
    /// Returns the seconds with as many decimals as needed, at most three.
    static func describe(_ duration: Duration) -> String {
        let milliseconds = Int(duration.nanoseconds / 1_000_000)
        var text = DecimalText.describe(milliseconds, exponent: -3)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return (text.isEmpty ? "0" : text) + " s"
    }
}

/// The exit codes of the process. The numbers from 64 to 78 are those of `sysexits.h`.
enum ProcessStatus: Int32, CaseIterable, Sendable {
    case success = 0
    /// An expectation of a script was not met.
    case unmet = 1
    /// The command line is not valid.
    case usage = 64
    /// A file or an answer is malformed.
    case badData = 65
    /// The target or its characteristic was not found.
    case notFound = 66
    /// The adapter cannot be used.
    case adapterUnavailable = 69
    /// An internal error.
    case internalError = 70
    /// The link was lost, or a file could not be read or written.
    case inputOutput = 74
    /// No answer within the time limit.
    case timedOut = 75
    /// The accessory refused.
    case refused = 77
    /// A requirement is missing.
    case incomplete = 78
    /// Ctrl-C, SIGTERM or the end of the terminal.
    case interrupted = 130
    /// The reader of the output closed it.
    case outputClosed = 141

    /// The meaning of the number, for the help.
    var meaning: String {
        switch self {
        case .success: "success"
        case .unmet: "an expectation of a script was not met"
        case .usage: "the command line is not valid"
        case .badData: "a file or an answer is malformed"
        case .notFound: "the target or the characteristic was not found"
        case .adapterUnavailable: "the adapter cannot be used"
        case .internalError: "an internal error of lanyard"
        case .inputOutput: "the link was lost, or a file could not be read or written"
        case .timedOut: "no answer in the time allowed"
        case .refused: "the accessory refused"
        case .incomplete: "a requirement is missing: see 'lanyard doctor'"
        case .interrupted: "interrupted by Ctrl-C, SIGTERM or SIGHUP"
        case .outputClosed: "the reader of the output closed it"
        }
    }

    /// All codes, one to a line, for the help.
    static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            let padding = String(repeating: " ", count: 5 - number.count)
            return "  " + number + padding + status.meaning
        }.joined(separator: "\n")
    }
}
