// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import ProcessTestSupport
import Testing
import VirtualAdapters

/// The Linux kernel on a virtual controller of ours, BlueZ on top of it, and the air around.
struct KernelScene: Sendable {
    let bluez: BlueZ
    let stage: KernelAir

    /// What passed so far between the kernel and its controller.
    func wire() async throws -> KernelWire {
        await stage.air.perform { _ in }
        return try KernelWire(stage.folder + "/0-kernel.btsnoop")
    }

    /// Waits until a host of ours hears such an advertisement. One that changes is heard, too: a
    /// controller that leaves out what it heard before goes by the address alone.
    func discover(
        _ host: BluetoothHost,
        where choose: @escaping @Sendable (Advertisement) -> Bool
    ) async throws -> Advertisement {
        var parameters = ScanParameters()
        if stage.generation == .five { parameters.phys = [.le1M, .leCoded] }
        let scan = host.scan(parameters: parameters, reportsDuplicates: true)
        return try await within(Limits.discovery, "an advertisement") {
            for try await found in scan where choose(found) { return found }
            throw HostError.closed
        }
    }

    /// Everything that somebody should have to explain.
    func complaints() async throws -> [Complaint] {
        Complaint.all(
            kernel: try await bluez.kernelLog(),
            daemon: try await bluez.daemonLog(),
            wire: try await wire(),
            violations: await stage.violations
        )
    }
}

/// Lets the kernel of a virtual machine drive a virtual controller of ours, with BlueZ on top of it,
/// for a scenario. In the end nobody may have complained: not the kernel in its log, not bluetoothd of
/// the kernel, not the controller by refusing a command, not the watch over the wires.
///
/// - Parameter allowances: complaints that somebody has explained.
func withKernel(
    _ setting: Setting,
    as role: BlueZRole,
    _ scenario: String,
    _ configuration: BlueZConfiguration = BlueZConfiguration(),
    hasOwnMachine: Bool = false,
    allowing allowances: [Allowance] = [],
    _ body: @escaping @Sendable (KernelScene) async throws -> Void
) async throws {
    let scenario = Scenario(name: scenario, setting: setting, role: role)
    try await scenario.run(hasOwnMachine: hasOwnMachine) { attempt in
        try await withKernelAir(setting.generation) { stage in
            let site = BlueZ.Site.outside(stage.kernelDoor.specification)
            return try await attempt.run(at: site, configuration) { bluez in
                let scene = KernelScene(bluez: bluez, stage: stage)
                bluez.keep(logsIn: stage.folder)
                try await body(scene)
                try await scene.end(allowing: allowances)
            }
        }
    }
}

extension KernelScene {
    /// Expects that nobody complained, and lets all links end.
    fileprivate func end(allowing allowances: [Allowance]) async throws {
        let complaints = try await complaints().filter { complaint in
            !allowances.contains { $0.covers(complaint) }
        }
        #expect(complaints == [], "somebody complained")
        await stage.endHosts()
        try await bluez.isAlone()
        try await bluez.powerOff()
        try await bluez.pullOutAdapters()
        // Linux 6.1 may come to a list corruption of its own as links end.
        guard bluez.setting.release == .trixie else { return }
        let last = try await bluez.kernelLog().filter(\.isComplaint).map {
            Complaint.kernel($0.text)
        }
        let unexplained = last.filter { complaint in
            !complaints.contains(complaint) && !allowances.contains { $0.covers(complaint) }
        }
        #expect(unexplained == [], "the kernel complained as links, power and controller went")
    }
}
