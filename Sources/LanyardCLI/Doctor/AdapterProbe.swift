// SPDX-License-Identifier: Apache-2.0

import HCITransports
import VirtualAdapters

/// Opens an adapter and lets a host start on it, with no bonds, and lets go of it again.
struct AdapterProbe {
    let adapter: AdapterChoice
    let limits: StepLimits

    /// What came of it, in the time that a step may take.
    func result(_ console: Console) async -> Surroundings.Probe {
        let start = ContinuousClock.now
        let session = AdapterSession(
            adapter: adapter,
            traceFile: nil,
            limits: limits,
            console: console
        )
        do {
            try await session.withHost { _ in }
            return .succeeded(.now - start)
        } catch {
            return .failed(ProgramFailure(error, during: "opening \(adapter)"))
        }
    }
}
