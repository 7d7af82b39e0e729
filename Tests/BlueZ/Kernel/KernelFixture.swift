// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import ProcessTestSupport
import Testing
import VirtualAdapters

/// The Linux kernel on our virtual controller, with BlueZ on top of it, and the virtual radio.
struct KernelFixture: Sendable {
    let bluez: BlueZ
    let kernelAir: KernelAir

    /// Returns the packets so far between the kernel and its controller.
    func wire() async throws -> KernelWire {
        await kernelAir.air.perform { _ in }
        return try KernelWire(kernelAir.folder + "/0-kernel.btsnoop")
    }

    /// Waits until our host discovers an advertisement for which `choose` returns `true`. The scan
    /// reports duplicates, because the controller's duplicate filter compares only addresses and
    /// would drop a changed advertisement.
    func discover(
        _ host: BluetoothHost,
        where choose: @escaping @Sendable (Advertisement) -> Bool
    ) async throws -> Advertisement {
        var parameters = ScanParameters()
        if kernelAir.generation == .five { parameters.phys = [.le1M, .leCoded] }
        let scan = host.scan(parameters: parameters, reportsDuplicates: true)
        return try await within(Limits.discovery, "an advertisement") {
            for try await found in scan where choose(found) { return found }
            throw HostError.closed
        }
    }

    /// Returns all errors that need an explanation.
    func problems() async throws -> [StackProblem] {
        StackProblem.all(
            kernel: try await bluez.kernelLog(),
            daemon: try await bluez.daemonLog(),
            wire: try await wire(),
            violations: await kernelAir.violations
        )
    }
}

/// Runs a scenario in which the kernel of a virtual machine drives our virtual controller, with
/// BlueZ on top of it. At the end the kernel's log, bluetoothd's log, the controller, and the
/// checkers on the wires must report no error other than those that the allowances cover.
///
/// - Parameters:
///   - limit: The time limit of `body`.
///   - allowances: The causes of errors that the scenario allows.
func withKernel(
    _ setting: Setting,
    as role: BlueZRole,
    _ scenario: String,
    _ configuration: BlueZConfiguration = BlueZConfiguration(),
    hasOwnMachine: Bool = false,
    within limit: Duration = Limits.scenario,
    allowing allowances: [Allowance] = [],
    _ body: @escaping @Sendable (KernelFixture) async throws -> Void
) async throws {
    let scenario = Scenario(name: scenario, setting: setting, role: role)
    try await scenario.run(hasOwnMachine: hasOwnMachine) { attempt in
        try await withKernelAir(setting.generation) { kernelAir in
            let site = BlueZ.Site.outside(kernelAir.kernelEndpoint.specification)
            return try await attempt.run(at: site, configuration, within: limit) { bluez in
                let fixture = KernelFixture(bluez: bluez, kernelAir: kernelAir)
                bluez.keep(logsIn: kernelAir.folder)
                try await body(fixture)
                try await fixture.end(allowing: allowances)
            }
        }
    }
}

extension KernelFixture {
    /// Expects no errors from the scenario and, except on Linux 6.1, from ending all links and from
    /// powering off.
    fileprivate func end(allowing allowances: [Allowance]) async throws {
        let problems = try await problems().filter { problem in
            !allowances.contains { $0.covers(problem) }
        }
        #expect(problems == [], "errors during the scenario")
        await kernelAir.endHosts()
        try await bluez.isAlone()
        try await bluez.powerOff()
        try await bluez.pullOutAdapters()
        // Linux 6.1 may corrupt a list of its own as links end.
        guard bluez.setting.release == .trixie else { return }
        let last = StackProblem.all(
            kernel: try await bluez.kernelLog(),
            daemon: [],
            wire: try await wire(),
            violations: []
        )
        let explained = allowances + [.commandCanceledByPowerOff]
        let unexplained = last.filter { problem in
            !problems.contains(problem) && !explained.contains { $0.covers(problem) }
        }
        #expect(unexplained == [], "errors at the end of the links, the power and the controller")
    }
}
