// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport

/// The machines of a run: started when they are first wanted, then kept until the last suite ends.
actor MachinePool {
    static let shared = MachinePool()

    /// How many machines of a release there are at most: two processors are good for one of each.
    private static let machineLimit = max(1, processorCount / DebianRelease.allCases.count)

    private static let processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// As many scenarios at a time as there are processors to emulate one.
    private static let places = Turnstile(limit: max(1, processorCount))

    private let turnstiles = Dictionary(
        uniqueKeysWithValues: DebianRelease.allCases.map { ($0, Turnstile(limit: machineLimit)) }
    )
    private var idle: [DebianRelease: [Machine]] = [:]
    private var suiteCount = 0

    /// Gives `body` a machine of a release, on, for itself.
    ///
    /// - Parameter isOwn: whether it is made for this, and nobody has it afterwards.
    func withMachine<Value: Sendable>(
        of release: DebianRelease,
        isOwn: Bool,
        _ body: @Sendable (Machine) async throws -> Value
    ) async throws -> Value {
        let turnstile = isOwn ? nil : turnstiles[release]
        await turnstile?.enter()
        defer { turnstile?.leave() }
        await Self.places.enter()
        defer { Self.places.leave() }
        let machine = try await machine(of: release, isOwn: isOwn)
        defer { giveBack(machine, isOwn: isOwn) }
        try await machine.powerOn()
        return try await body(machine)
    }

    private func machine(of release: DebianRelease, isOwn: Bool) async throws -> Machine {
        if !isOwn, let machine = idle[release]?.popLast() { return machine }
        return try await Machine(of: release, keepsState: isOwn)
    }

    private func giveBack(_ machine: Machine, isOwn: Bool) {
        if isOwn { machine.cutPower() } else { idle[machine.release, default: []].append(machine) }
    }

    // MARK: Suites

    /// A suite begins that may want machines.
    func suiteBegan() { suiteCount += 1 }

    /// A suite has ended; after the last of those that run no machine does, and the table is told.
    func suiteEnded() {
        suiteCount -= 1
        guard suiteCount == 0 else { return }
        for machine in idle.values.joined() { machine.cutPower() }
        idle = [:]
        ScenarioTable.shared.publish()
    }
}
