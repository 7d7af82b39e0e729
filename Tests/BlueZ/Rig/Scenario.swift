// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Synchronization
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
    let kind = Machine.Kind(
        release: setting.release,
        radio: site.radio(of: setting),
        keepsState: hasOwnMachine,
        owner: hasOwnMachine ? UUID() : nil
    )
    let verdict = Verdict()
    defer {
        let cell = ScenarioTable.Cell(setting: setting, role: role)
        ScenarioTable.shared.note(scenario, in: cell, passed: verdict.isPass)
    }
    try await MachinePool.shared.withMachine(kind) { machine in
        let bluez = BlueZ(setting, as: role, at: site, in: machine)
        try await verdict.judge {
            do {
                try await bluez.reset(configuration)
                try await body(bluez)
            } catch {
                verdict.fail()
                await tellFailure(of: bluez, in: scenario)
                await bluez.end()
                throw error
            }
        }
        if !verdict.isClean { await tellFailure(of: bluez, in: scenario) }
        await bluez.end()
        verdict.end()
    }
}

extension BlueZ.Site {
    fileprivate func radio(of setting: Setting) -> Machine.Radio {
        switch self {
        case .inside: .inside(setting.generation)
        case .outside: .outside
        }
    }
}

/// Keeps what was said on all sides, and shows the last of it.
private func tellFailure(of bluez: BlueZ, in scenario: String) async {
    let name = "\(scenario) \(bluez.setting) \(bluez.role)".replacing(" ", with: "-")
    let folder = NSTemporaryDirectory() + "bluez-failures/\(name)-\(UUID().uuidString.prefix(4))"
    let last = await bluez.saveLogs(to: folder)
    print(
        "\(scenario), \(bluez.setting), BlueZ as \(bluez.role), failed; more in \(folder)\n\(last)"
    )
}

/// Whether a scenario went well: it threw nothing, and no expectation of it failed.
private final class Verdict: Sendable {
    private enum State {
        case running, failed, passed
    }

    private let state = Mutex(State.running)

    /// Whether nothing has failed yet.
    var isClean: Bool { state.withLock { $0 != .failed } }

    /// Whether it came to its end, and nothing failed.
    var isPass: Bool { state.withLock { $0 == .passed } }

    func fail() { state.withLock { $0 = .failed } }

    func end() {
        state.withLock { state in
            if state == .running { state = .passed }
        }
    }

    /// Runs a body, and sees the issues that it records.
    func judge(_ body: @Sendable () async throws -> Void) async throws {
        guard let test = Test.current else { return try await body() }
        let watching = IssueHandlingTrait.compactMapIssues { [self] issue in
            fail()
            return issue
        }
        try await watching.provideScope(for: test, testCase: Test.Case.current, performing: body)
    }
}
