// SPDX-License-Identifier: Apache-2.0

import Testing

/// A trait that keeps the machines on while a suite runs that uses them, and turns them off
/// afterward.
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
    /// The suite uses BlueZ in virtual machines, which start on first use and are shared.
    static var machines: Self { MachinesTrait() }
}
