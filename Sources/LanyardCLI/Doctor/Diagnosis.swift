// SPDX-License-Identifier: Apache-2.0

import BluetoothSetUp
import JSONText

/// The findings about a computer's Bluetooth: the parts that work, the obstacles, and the remedies.
enum Diagnosis {
    /// Returns the findings derived from the state of the system. The chosen adapter and its store
    /// come first, because only their findings can be obstacles: other adapters may be unusable
    /// without harm.
    static func findings(_ system: SystemState) -> [SetUpFinding] {
        var findings = ChoiceDiagnosis.findings(system)
        findings += StoreDiagnosis.findings(system.store)
        if system.isLinux {
            findings += KernelDiagnosis.findings(system)
            findings += system.serialPorts.map(finding(about:))
        } else {
            findings.append(elsewhere)
        }
        return findings
    }

    private static func finding(about port: SystemState.SerialPort) -> SetUpFinding {
        let name = port.product.map { " (\(TerminalText.escape($0)))" } ?? ""
        return SetUpFinding(
            .note,
            "serial port",
            TerminalText.escape(port.path) + name,
            why: "a controller may be on it",
            remedy: "if so, use --adapter serial:\(TerminalText.escape(port.path))"
        )
    }

    private static let elsewhere = SetUpFinding(
        .note,
        "system",
        "the system's Bluetooth belongs to Core Bluetooth",
        why:
            "apps use it through the framework; the command line uses controllers of its own"
    )
}

/// The text of findings, for people and for programs.
enum DiagnosisText {
    /// Returns the mark in front of a finding, which shows its severity.
    static func mark(_ severity: SetUpFinding.Severity) -> String {
        switch severity {
        case .good: "✓"
        case .note: "·"
        case .warning: "!"
        case .obstacle: "✗"
        }
    }

    /// Returns the lines of a finding: the finding and, indented, its meaning and its remedy.
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

    /// Returns the failure of the command if a finding is an obstacle.
    static func failure(_ findings: [SetUpFinding]) -> ProgramFailure? {
        let count = findings.count { $0.severity == .obstacle }
        guard count > 0 else { return nil }
        return ProgramFailure(
            .incomplete,
            count == 1 ? "1 problem found" : "\(count) problems found",
            advice: "see the lines marked \(mark(.obstacle))"
        )
    }

    /// Escapes text with characters that cannot be printed. Escaped text has no such characters, so
    /// it is not escaped again.
    private static func safe(_ text: String) -> String {
        text.unicodeScalars.allSatisfy(\.isPrintable) ? text : TerminalText.escape(text)
    }
}
