// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport

/// Gives `body` BlueZ on a controller inside the machine, freshly started and for itself; what comes of it
/// goes into the table.
///
/// If the scenario fails, what the kernel, BlueZ and our host's wire said is kept, and said where.
///
/// - Parameters:
///   - scenario: its row in the table: short, and the same for both roles where it is the same.
///   - configuration: what bluetoothd reads.
///   - hasOwnMachine: whether it may do to the machine what it wants: pull its plug, say. What BlueZ
///     remembers then outlives the machine's power.
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

/// A row of the table and one of its columns, and how they are filled in.
struct Scenario: Sendable {
    let name: String
    let setting: Setting
    let role: BlueZRole

    fileprivate var cell: ScenarioTable.Cell { ScenarioTable.Cell(setting: setting, role: role) }

    /// Runs it once, and again if it failed after a known fault of BlueZ's own.
    ///
    /// - Parameter body: makes what the scenario wants around the machine, and runs the attempt.
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
        /// It failed after a known fault of BlueZ's own, and may be run again.
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
    /// - Parameter site: where BlueZ's controller is: inside the machine, or one of ours outside.
    func run(
        at site: BlueZ.Site,
        _ configuration: BlueZConfiguration,
        _ body: @escaping @Sendable (BlueZ) async throws -> Void
    ) async throws -> Outcome {
        let bluez = BlueZ(scenario.setting, at: site, in: machine)
        let verdict = Verdict { !isLast && bluez.knownFault != nil }
        var failure: (any Error)?
        do {
            try await verdict.judge {
                do {
                    try await bluez.reset(configuration)
                    try await within(Limits.scenario, "the end of \(scenario.name)") {
                        try await body(bluez)
                    }
                } catch {
                    // What died of it may be heard of before what it died of.
                    _ = try? await bluez.call("logs")
                    throw error
                }
            }
        } catch {
            failure = error
        }
        if !verdict.isPass { await tellFailure(of: bluez) }
        let fault = bluez.knownFault
        await bluez.end()
        // Nobody knows in which state it was left, and what goes on in it.
        if failure != nil || machine.isBroken { machine.cutPower() }
        if verdict.isBlameless, let fault {
            print("\(scenario): \(fault); once more")
            ScenarioTable.shared.noteRepetition(of: scenario.name, in: scenario.cell)
            return .excused
        }
        if let failure { throw failure }
        return verdict.isPass ? .passed : .failed
    }

    /// Keeps what was said on all sides, and shows the last of it.
    private func tellFailure(of bluez: BlueZ) async {
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
