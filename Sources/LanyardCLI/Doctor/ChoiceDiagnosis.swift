// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard
import VirtualAdapters

/// The adapter that Lanyard is told to use: whether there is one, and whether it can be reached.
enum ChoiceDiagnosis {
    private static let subject = "adapter"

    static func findings(_ surroundings: Surroundings) -> [SetUpFinding] {
        switch surroundings.choice {
        case .none: [nothingChosen]
        case .malformed(_, let source, let failure):
            [
                SetUpFinding(
                    .obstacle,
                    subject,
                    "\(source.rawValue): \(failure.happened)",
                    why: "programs on CoreBluetooth find the state `unsupported`",
                    remedy: failure.advice
                )
            ]
        case .chosen(let choice, let source): [finding(choice, source, surroundings.probe)]
        }
    }

    private static func finding(
        _ choice: AdapterChoice,
        _ source: Surroundings.Choice.Source,
        _ probe: Surroundings.Probe
    ) -> SetUpFinding {
        let name = "\(TerminalText.escape(choice.description)), by \(source.rawValue)"
        switch probe {
        case .succeeded(let duration):
            return SetUpFinding(
                .good,
                subject,
                "\(name): opened, reset and let go in \(SecondsText.describe(duration))"
            )
        case .failed(let failure):
            return SetUpFinding(
                .obstacle,
                subject,
                "\(name): \(failure.happened)",
                why: "whatever needs an adapter ends with this",
                remedy: failure.advice.isEmpty
                    ? "see that it is there, or choose another"
                    : failure.advice
            )
        case .notTried:
            return SetUpFinding(
                .note,
                subject,
                "\(name): not tried",
                remedy: source == .system
                    ? "--adapter \(choice.description) to open and reset it"
                    : "leave out --no-probe to open and reset it"
            )
        }
    }

    private static let nothingChosen = SetUpFinding(
        .obstacle,
        subject,
        "none is chosen, and the system has none that could be taken",
        why: "commands want --adapter, and programs on CoreBluetooth find the state `unsupported`",
        remedy: "export LANYARD_ADAPTER=virtual for one that needs no hardware, among example "
            + "accessories; or one of \(AdapterSpecification.forms)"
    )
}
