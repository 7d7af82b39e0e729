// SPDX-License-Identifier: Apache-2.0

import Testing

/// Keeps the machines on while a suite runs that wants them, and off when there is none.
struct MachinesTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        await MachinePool.shared.suiteBegan()
        do {
            try await function()
            await MachinePool.shared.suiteEnded()
        } catch {
            await MachinePool.shared.suiteEnded()
            throw error
        }
    }
}

extension Trait where Self == MachinesTrait {
    /// The suite meets BlueZ in virtual machines, which are started when first wanted and shared.
    static var machines: Self { MachinesTrait() }
}
