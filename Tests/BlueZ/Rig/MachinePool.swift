// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport

/// The machines of a run: started when they are first wanted, then kept until the last suite ends.
actor MachinePool {
    static let shared = MachinePool()

    /// How many machines of a release there are at most, but for those that a scenario has for itself. One more
    /// than its share of the processors, so that two of them are not idle when those of one release are done.
    private static let machineLimit = processorCount / DebianRelease.allCases.count + 1

    private static let processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// How many scenarios run at a time: one more than can be computed, as some always wait for something.
    private static let places = Turnstile(limit: processorCount + 1)

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

    /// Lets another scenario have the place of one whose machine is paused, while `body` waits for something.
    static func steppingAside<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        places.leave()
        do {
            let value = try await body()
            await places.enter()
            return value
        } catch {
            await places.enter()
            throw error
        }
    }

    private func machine(of release: DebianRelease, isOwn: Bool) async throws -> Machine {
        if !isOwn, let machine = idle[release]?.popLast() { return machine }
        return try await Machine(of: release, keepsState: isOwn)
    }

    private func giveBack(_ machine: Machine, isOwn: Bool) {
        if isOwn { machine.scrap() } else { idle[machine.release, default: []].append(machine) }
    }

    // MARK: Suites

    /// A suite begins that may want machines.
    func suiteBegan() { suiteCount += 1 }

    /// A suite has ended; after the last of those that run no machine does, and the table is told.
    func suiteEnded() {
        suiteCount -= 1
        guard suiteCount == 0 else { return }
        for machine in idle.values.joined() { machine.scrap() }
        idle = [:]
        ScenarioTable.shared.publish()
    }
}
