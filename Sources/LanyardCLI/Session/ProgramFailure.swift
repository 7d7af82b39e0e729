// SPDX-License-Identifier: Apache-2.0

import Lanyard

/// Why a command ended without doing its job: what happened, and what to do next.
struct ProgramFailure: Error, Equatable, Sendable {
    let status: ProcessStatus
    /// What happened, without a full stop; safe to print.
    let happened: String
    /// What a person can do about it; empty where there is nothing to say.
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

    /// The run was stopped by Ctrl-C.
    static let interrupted = ProgramFailure(.interrupted, "interrupted")

    /// Standard output was closed by whoever read it.
    static let outputClosed = ProgramFailure(.outputClosed, "")

    /// A command line that makes no sense.
    static func usage(_ happened: String, advice: String = "") -> ProgramFailure {
        ProgramFailure(.usage, happened, advice: advice)
    }

    /// A step that took longer than allowed.
    static func timedOut(_ step: String, after limit: Duration) -> ProgramFailure {
        ProgramFailure(
            .timedOut,
            "\(step): no answer within \(SecondsText.describe(limit))",
            advice: "check that the accessory is on and in range, or allow more with --timeout"
        )
    }
}

/// Durations for people.
enum SecondsText {
    /// Seconds with as many decimals as needed, at most three.
    static func describe(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        var text = DecimalText.describe(milliseconds, exponent: -3)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return (text.isEmpty ? "0" : text) + " s"
    }
}
