// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport

/// Gives `body` BlueZ on a controller inside the machine, freshly started and for exclusive use.
/// The table records the result.
///
/// If the scenario fails, the logs of the kernel, of BlueZ, and of our host's wire are kept, and
/// their place is printed.
///
/// - Parameters:
///   - scenario: The name of the scenario's row in the table. Scenarios that have the same name in
///     both roles share a row.
///   - configuration: bluetoothd's configuration.
///   - hasOwnMachine: Whether the scenario may change the machine itself, for example cut its
///     power. BlueZ's stored state then survives a power cycle.
func withBlueZ(
    _ setting: Setting,
    as role: BlueZRole,
    _ scenario: String,
    _ configuration: BlueZConfiguration = BlueZConfiguration(),
    hasOwnMachine: Bool = false,
    _ body: @escaping @Sendable (BlueZ) async throws -> Void
) async throws {
    let scenario = Scenario(name: scenario, setting: setting, role: role)
    try await scenario.run(hasOwnMachine: hasOwnMachine) { attempt in
        try await attempt.run(at: .inside, configuration, body)
    }
}

/// A scenario in one setting and role, which is one cell of the ``ScenarioTable``. `run` records
/// the result of the cell.
struct Scenario: Sendable {
    let name: String
    let setting: Setting
    let role: BlueZRole

    fileprivate var cell: ScenarioTable.Cell { ScenarioTable.Cell(setting: setting, role: role) }

    /// Runs the scenario, and runs it again if it failed because of a known fault of BlueZ or
    /// Linux.
    ///
    /// - Parameter body: Prepares everything that the scenario needs outside the machine, and runs
    ///   the attempt.
    func run(
        hasOwnMachine: Bool,
        _ body: @escaping @Sendable (Attempt) async throws -> Attempt.Outcome
    ) async throws {
        do {
            try await MachinePool.shared.withMachine(of: setting.release, isOwn: hasOwnMachine) {
                machine in
                for number in 1...Limits.attemptCount {
                    try await machine.powerOn()
                    let attempt = Attempt(
                        of: self,
                        in: machine,
                        isLast: number == Limits.attemptCount
                    )
                    let start = ContinuousClock.now
                    let outcome = try await body(attempt)
                    guard outcome != .excused else { continue }
                    ScenarioTable.shared.note(
                        name,
                        in: cell,
                        passed: outcome == .passed,
                        after: start.duration(to: .now)
                    )
                    return
                }
            }
        } catch {
            ScenarioTable.shared.note(name, in: cell, passed: false)
            throw error
        }
    }
}

/// One run of a scenario.
struct Attempt: Sendable {
    enum Outcome: Sendable {
        case passed, failed
        /// It failed because of a known fault of BlueZ or Linux, and may run again.
        case excused
    }

    private let scenario: Scenario
    private let machine: Machine
    private let isLast: Bool

    init(of scenario: Scenario, in machine: Machine, isLast: Bool) {
        self.scenario = scenario
        self.machine = machine
        self.isLast = isLast
    }

    /// Gives `body` BlueZ, freshly started.
    ///
    /// - Parameters:
    ///   - site: Whether BlueZ uses a controller inside the machine or one of ours outside.
    ///   - configuration: bluetoothd's configuration.
    ///   - limit: The time limit of `body`.
    func run(
        at site: BlueZ.Site,
        _ configuration: BlueZConfiguration,
        within limit: Duration = Limits.scenario,
        _ body: @escaping @Sendable (BlueZ) async throws -> Void
    ) async throws -> Outcome {
        let bluez = BlueZ(scenario.setting, at: site, in: machine)
        let verdict = Verdict { !isLast && bluez.knownFault != nil }
        var failure: (any Error)?
        do {
            try await verdict.judge {
                do {
                    try await bluez.reset(configuration)
                    try await within(limit, "the end of \(scenario.name)") {
                        try await body(bluez)
                    }
                } catch {
                    // The report of a failure may arrive before the report of its cause.
                    _ = try? await bluez.call("logs")
                    throw error
                }
            }
        } catch {
            failure = error
        }
        if !verdict.isPass { await reportFailure(of: bluez) }
        let fault = bluez.knownFault
        await bluez.end()
        // The state of the machine is unknown, so the next scenario starts it again.
        if failure != nil || machine.isBroken { machine.cutPower() }
        if verdict.isBlameless, let fault {
            print("\(scenario): \(fault); once more")
            ScenarioTable.shared.noteRepetition(of: scenario.name, in: scenario.cell)
            return .excused
        }
        if let failure { throw failure }
        return verdict.isPass ? .passed : .failed
    }

    /// Keeps the logs of all sides, and prints the last lines.
    private func reportFailure(of bluez: BlueZ) async {
        let name = "\(scenario.name) \(scenario.setting) \(scenario.role)".replacing(" ", with: "-")
        let folder =
            NSTemporaryDirectory() + "bluez-failures/\(name)-\(UUID().uuidString.prefix(4))"
        let last = await bluez.saveLogs(to: folder)
        print("\(scenario), failed: see \(folder)\n\(last)")
    }
}

extension Scenario: CustomStringConvertible {
    var description: String { "\(name), \(setting), BlueZ as \(role)" }
}
