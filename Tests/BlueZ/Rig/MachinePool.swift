// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport
import Synchronization

/// The machines of a run: started when one is first wanted, then kept until the last suite ends.
actor MachinePool {
    static let shared = MachinePool()

    /// As many scenarios at a time as there are processors to emulate one.
    private static let places = Turnstile(limit: ProcessorCount.usable)

    private var machines: [Machine.Kind: Machine] = [:]
    private var turnstiles: [Machine.Kind: Turnstile] = [:]
    private var suiteCount = 0

    /// Gives `body` a machine of a kind that is on, for itself.
    func withMachine<Value: Sendable>(
        _ kind: Machine.Kind,
        _ body: @Sendable (Machine) async throws -> Value
    ) async throws -> Value {
        let turnstile = turnstile(of: kind)
        await turnstile.enter()
        defer { turnstile.leave() }
        await Self.places.enter()
        defer { Self.places.leave() }
        defer { if kind.owner != nil { machines[kind] = nil } }
        let machine = try await machine(kind)
        try await machine.powerOn()
        return try await body(machine)
    }

    private func turnstile(of kind: Machine.Kind) -> Turnstile {
        if let turnstile = turnstiles[kind] { return turnstile }
        let turnstile = Turnstile(limit: 1)
        turnstiles[kind] = turnstile
        return turnstile
    }

    /// The one machine of that kind; who asks has passed its turnstile.
    private func machine(_ kind: Machine.Kind) async throws -> Machine {
        if let machine = machines[kind] { return machine }
        let machine = try await Machine(kind)
        machines[kind] = machine
        return machine
    }

    // MARK: Suites

    /// A suite begins that may want machines.
    func suiteBegan() { suiteCount += 1 }

    /// A suite has ended; after the last of those that run no machine does, and the table is told.
    func suiteEnded() {
        suiteCount -= 1
        guard suiteCount == 0 else { return }
        for machine in machines.values { machine.cutPower() }
        machines = [:]
        ScenarioTable.shared.publish()
    }
}
