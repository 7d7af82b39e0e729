// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport

/// The machines of a test run: started on first use, then kept until the last suite ends.
actor MachinePool {
    static let shared = MachinePool()

    /// The maximum number of machines of a release that scenarios share. Machines that a scenario
    /// has for itself do not count. The limit is one more than the release's share of the
    /// processors, so that fewer processors are idle when the scenarios of the other release are
    /// done.
    private static let machineLimit = processorCount / DebianRelease.allCases.count + 1

    private static let processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// Limits the number of scenarios that run at a time to one more than the number of processors,
    /// because at any time some scenario is waiting.
    private static let places = AsyncSemaphore(limit: processorCount + 1)

    private let semaphores = Dictionary(
        uniqueKeysWithValues: DebianRelease.allCases.map {
            ($0, AsyncSemaphore(limit: machineLimit))
        }
    )
    private var idle: [DebianRelease: [Machine]] = [:]
    private var suiteCount = 0

    /// Gives `body` exclusive use of a running machine of a release.
    ///
    /// - Parameter isOwn: Whether the machine is made for this call and discarded afterward.
    func withMachine<Value: Sendable>(
        of release: DebianRelease,
        isOwn: Bool,
        _ body: @Sendable (Machine) async throws -> Value
    ) async throws -> Value {
        let semaphore = isOwn ? nil : semaphores[release]
        await semaphore?.wait()
        defer { semaphore?.signal() }
        await Self.places.wait()
        defer { Self.places.signal() }
        let machine = try await machine(of: release, isOwn: isOwn)
        defer { giveBack(machine, isOwn: isOwn) }
        try await machine.powerOn()
        return try await body(machine)
    }

    /// Lets another scenario run while `body` waits. A scenario calls this function while its
    /// machine is paused and needs no processor.
    static func releasing<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        try await places.releasing(body)
    }

    private func machine(of release: DebianRelease, isOwn: Bool) async throws -> Machine {
        if !isOwn, let machine = idle[release]?.popLast() { return machine }
        return try await Machine(of: release, keepsState: isOwn)
    }

    private func giveBack(_ machine: Machine, isOwn: Bool) {
        if isOwn { machine.scrap() } else { idle[machine.release, default: []].append(machine) }
    }

    // MARK: Suites

    /// Records that a suite has begun that may use machines.
    func suiteBegan() { suiteCount += 1 }

    /// Records that a suite has ended. After the last one, no machine runs, and the table is
    /// published.
    func suiteEnded() {
        suiteCount -= 1
        guard suiteCount == 0 else { return }
        for machine in idle.values.joined() { machine.scrap() }
        idle = [:]
        ScenarioTable.shared.publish()
    }
}
