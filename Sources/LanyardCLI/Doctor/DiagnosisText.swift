// SPDX-License-Identifier: Apache-2.0

import Lanyard

/// What was found, for people and for programs.
enum DiagnosisText {
    /// The mark in front of a finding, by which one sees at a glance where to look.
    static func mark(_ severity: SetUpFinding.Severity) -> String {
        switch severity {
        case .good: "✓"
        case .note: "·"
        case .warning: "!"
        case .obstacle: "✗"
        }
    }

    /// A finding: what it is, and, indented, what it means and what helps.
    static func lines(_ finding: SetUpFinding) -> [String] {
        let first = "\(mark(finding.severity)) \(safe(finding.subject)): \(safe(finding.what))"
        let why = finding.why.isEmpty ? [] : ["    \(safe(finding.why))"]
        let remedy = finding.remedy.isEmpty ? [] : ["    → \(safe(finding.remedy))"]
        return [first] + why + remedy
    }

    static func json(_ findings: [SetUpFinding]) -> JSON {
        .object([
            .init("isComplete", .bool(!findings.contains { $0.severity == .obstacle })),
            .init("findings", .array(findings.map(json))),
        ])
    }

    private static func json(_ finding: SetUpFinding) -> JSON {
        .object([
            .init("severity", .string(finding.severity.rawValue)),
            .init("subject", .string(finding.subject)),
            .init("what", .string(finding.what)),
            .init("why", .string(finding.why)),
            .init("remedy", .string(finding.remedy)),
        ])
    }

    /// How the command ends if something is in the way.
    static func failure(_ findings: [SetUpFinding]) -> ProgramFailure? {
        let count = findings.count { $0.severity == .obstacle }
        guard count > 0 else { return nil }
        return ProgramFailure(
            .incomplete,
            count == 1 ? "one thing stands in the way" : "\(count) things stand in the way",
            advice: "the lines marked \(mark(.obstacle)) say what helps"
        )
    }

    /// A file's own words are a stranger's. What is safe already stays as it is: it has no backslash
    /// but those that escaping made.
    private static func safe(_ text: String) -> String {
        text.unicodeScalars.allSatisfy(TerminalText.isPrintable) ? text : TerminalText.escape(text)
    }
}
