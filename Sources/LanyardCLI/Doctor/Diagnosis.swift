// SPDX-License-Identifier: Apache-2.0

import Lanyard

/// What there is to be said of a computer's Bluetooth: what Lanyard can use, what stands in the way, and
/// what would remove it.
struct Diagnosis: Equatable, Sendable {
    let findings: [SetUpFinding]

    init(findings: [SetUpFinding]) {
        self.findings = findings
    }

    /// What follows from what was seen. The adapter that Lanyard is to use comes first, since nothing
    /// but that can be an obstacle: beside it there may be any number that cannot be had.
    init(of surroundings: Surroundings) {
        var findings = ChoiceDiagnosis.findings(surroundings)
        findings += StoreDiagnosis.findings(surroundings.store)
        if surroundings.isLinux {
            findings += KernelDiagnosis.findings(surroundings)
            findings += surroundings.serialPorts.map(Self.finding(about:))
        } else {
            findings.append(Self.elsewhere)
        }
        self.init(findings: findings)
    }

    var obstacles: [SetUpFinding] { findings.filter { $0.severity == .obstacle } }

    private static func finding(about port: Surroundings.SerialPort) -> SetUpFinding {
        let name = port.product.map { " (\(TerminalText.escape($0)))" } ?? ""
        return SetUpFinding(
            .note,
            "serial port",
            TerminalText.escape(port.path) + name,
            why: "a controller may be on it",
            remedy: "if there is: --adapter serial:\(TerminalText.escape(port.path))"
        )
    }

    private static let elsewhere = SetUpFinding(
        .note,
        "system",
        "its own Bluetooth belongs to Core Bluetooth",
        why:
            "applications use it through the framework; the command line has controllers of its own"
    )
}
