// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import Synchronization
import VirtualAdapters

/// What came of opening an adapter and asking its controller what it is.
enum AdapterAnswer: Equatable, Sendable {
    case controller(ControllerReport)
    case failure(ProgramFailure)

    /// Opens an adapter, resets it, asks, and gives it back.
    static func ask(
        _ adapter: SystemAdapter,
        _ limits: StepLimits,
        _ console: Console
    ) async -> AdapterAnswer {
        let session = AdapterSession(
            adapter: .reached(.hci(index: adapter.index)),
            traceFile: nil,
            limits: limits,
            console: console
        )
        let report = Mutex<ControllerReport?>(nil)
        do {
            try await session.withHost { host in
                let capabilities = await host.capabilities
                report.withLock { $0 = capabilities.map { ControllerReport(capabilities: $0) } }
            }
        } catch {
            return .failure(ProgramFailure(error, during: "opening \(adapter.name)"))
        }
        guard let report = report.withLock({ $0 }) else {
            return .failure(ProgramFailure(.adapterUnavailable, "it was reset while it was asked"))
        }
        return .controller(report)
    }

    /// What is shown below the adapter.
    func lines(columns: Int) -> [String] {
        switch self {
        case .controller(let report): report.lines(columns: columns)
        case .failure(let failure):
            ControllerReport.paragraph("refused", [failure.happened], columns: columns)
                + (failure.advice.isEmpty
                    ? []
                    : ControllerReport.paragraph("remedy", [failure.advice], columns: columns))
        }
    }
}
