// SPDX-License-Identifier: Apache-2.0

import BluetoothSetUp
import HCITransports
import VirtualAdapters

/// The findings about the chosen adapter: whether it exists and whether it answers.
enum ChoiceDiagnosis {
    private static let subject = "adapter"

    static func findings(_ system: SystemState) -> [SetUpFinding] {
        switch system.choice {
        case .none: [nothingChosen]
        case .malformed(_, let source, let failure):
            [
                SetUpFinding(
                    .obstacle,
                    subject,
                    "\(source.rawValue): \(failure.happened)",
                    why: "programs on CoreBluetooth get the state `unsupported`",
                    remedy: failure.advice
                )
            ]
        case .chosen(.daemon(let adapter), let source): [daemon(.daemon(adapter: adapter), source)]
        case .chosen(let choice, let source): [finding(choice, source, system.probe)]
        }
    }

    /// Returns the finding about a choice of the daemon.
    private static func daemon(
        _ choice: AdapterChoice,
        _ source: SystemState.Choice.Source
    ) -> SetUpFinding {
        SetUpFinding(
            .note,
            subject,
            "\(choice), by \(source.rawValue): for programs on CoreBluetooth and Lanyard",
            why: "scan, explore, read, write, subscribe, pair, bonds, shell, run and serve use it "
                + "as well, and other commands that open an adapter refuse it",
            remedy: "'bluetoothctl show' prints whether the daemon runs and its adapter is on"
        )
    }

    private static func finding(
        _ choice: AdapterChoice,
        _ source: SystemState.Choice.Source,
        _ probe: SystemState.Probe
    ) -> SetUpFinding {
        let name = "\(TerminalText.escape(choice.description)), by \(source.rawValue)"
        switch probe {
        case .succeeded(let duration):
            return SetUpFinding(
                .good,
                subject,
                "\(name): opened, reset and closed in \(SecondsText.describe(duration))"
            )
        case .failed(let failure):
            return SetUpFinding(
                .obstacle,
                subject,
                "\(name): \(failure.happened)",
                why: "commands that need an adapter fail with this error",
                remedy: failure.advice.isEmpty
                    ? "check that it is connected, or choose another adapter"
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
        "none is chosen, and the system has no free one",
        why: "commands need --adapter, and programs on CoreBluetooth get the state `unsupported`",
        remedy: "export LANYARD_ADAPTER=virtual, which needs no hardware and has example "
            + "accessories around it; or use one of \(AdapterSpecification.forms)"
    )
}

extension ChoiceDiagnosis {
    /// Opens an adapter, starts a host without bonds on each of its controllers, and closes it
    /// again, within the limits.
    static func probe(
        _ adapter: AdapterChoice,
        _ limits: StepLimits,
        _ console: Console
    ) async -> SystemState.Probe {
        let start = ContinuousClock.now
        let session = AdapterSession(
            adapter: adapter,
            traceFile: nil,
            limits: limits,
            console: console
        )
        do {
            try await session.withRadios { _ in }
            return .succeeded(.now - start)
        } catch {
            return .failed(ProgramFailure(error, during: "opening \(adapter)"))
        }
    }
}
