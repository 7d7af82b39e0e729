// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

/// Gives `body` BlueZ, freshly started and for itself; what comes of it goes into the table.
///
/// If the scenario fails, what the kernel, BlueZ and our host's wire said is kept, and said where.
///
/// - Parameters:
///   - scenario: its row in the table: short, and the same for both roles where it is the same.
///   - site: where BlueZ's controller is: inside the machine, or one of ours outside.
///   - configuration: what bluetoothd reads.
///   - hasOwnMachine: whether it may do to the machine what it wants: pull its plug, say. What BlueZ
///     remembers then outlives the machine's power.
func withBlueZ(
    _ setting: Setting,
    as role: BlueZRole,
    _ scenario: String,
    on site: BlueZ.Site = .inside,
    _ configuration: BlueZConfiguration = BlueZConfiguration(),
    hasOwnMachine: Bool = false,
    _ body: @escaping @Sendable (BlueZ) async throws -> Void
) async throws {
    let cell = ScenarioTable.Cell(setting: setting, role: role)
    do {
        try await MachinePool.shared.withMachine(of: setting.release, isOwn: hasOwnMachine) {
            machine in
            for number in 1...Limits.attemptCount {
                try await machine.powerOn()
                let bluez = BlueZ(setting, as: role, at: site, in: machine)
                let attempt = Attempt(of: scenario, isLast: number == Limits.attemptCount)
                let start = ContinuousClock.now
                let outcome = try await attempt.run(with: bluez, configuration, body)
                guard outcome != .excused else { continue }
                ScenarioTable.shared.note(
                    scenario,
                    in: cell,
                    passed: outcome == .passed,
                    after: start.duration(to: .now)
                )
                return
            }
        }
    } catch {
        ScenarioTable.shared.note(scenario, in: cell, passed: false)
        throw error
    }
}

/// One run of a scenario; there is another if it failed after a known fault of BlueZ's own.
private struct Attempt {
    enum Outcome {
        case passed, failed, excused
    }

    let scenario: String
    let isLast: Bool

    init(of scenario: String, isLast: Bool) {
        self.scenario = scenario
        self.isLast = isLast
    }

    func run(
        with bluez: BlueZ,
        _ configuration: BlueZConfiguration,
        _ body: @escaping @Sendable (BlueZ) async throws -> Void
    ) async throws -> Outcome {
        let verdict = Verdict { !isLast && bluez.knownFault != nil }
        var failure: (any Error)?
        do {
            try await verdict.judge {
                try await bluez.reset(configuration)
                try await within(Limits.scenario, "the end of \(scenario)") {
                    try await body(bluez)
                }
            }
        } catch {
            failure = error
        }
        if !verdict.isPass { await tellFailure(of: bluez, in: scenario) }
        let fault = bluez.knownFault
        await bluez.end()
        // Nobody knows in which state it was left, and what goes on in it.
        if failure != nil { bluez.machine.cutPower() }
        if verdict.isBlameless, let fault {
            print("\(scenario), \(bluez.setting), BlueZ as \(bluez.role): \(fault); once more")
            ScenarioTable.shared.noteRepetition()
            return .excused
        }
        if let failure { throw failure }
        return verdict.isPass ? .passed : .failed
    }
}

/// Keeps what was said on all sides, and shows the last of it.
private func tellFailure(of bluez: BlueZ, in scenario: String) async {
    let name = "\(scenario) \(bluez.setting) \(bluez.role)".replacing(" ", with: "-")
    let folder = NSTemporaryDirectory() + "bluez-failures/\(name)-\(UUID().uuidString.prefix(4))"
    let last = await bluez.saveLogs(to: folder)
    print("\(scenario), \(bluez.setting), BlueZ as \(bluez.role), failed: see \(folder)\n\(last)")
}
