// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import ProcessTestSupport
import Testing
import VirtualRadio

/// The kernel starts our virtual controller, and shuts it down.
@Suite(.machines) struct KernelStartUpTests {
    @Test(
        "The kernel sets up the virtual controller and powers it off and on",
        arguments: Setting.all
    )
    func powerCycles(_ setting: Setting) async throws {
        try await withKernel(
            setting,
            as: .peripheral,
            "the kernel on our controller",
            allowing: [.commandCanceledByPowerOff]
        ) { scene in
            let properties = try await scene.bluez.powerOn()
            #expect(properties["Powered"] == .boolean(true))
            #expect(properties["Address"].text == "C4:F0:00:00:00:01")
            #expect(properties["AddressType"].text == "public")
            #expect(
                Set(properties["Roles"].elements.compactMap(\.text)).isSuperset(of: [
                    "central", "peripheral",
                ])
            )
            let commands = Set(try await scene.wire().commands)
            let isNew = setting.generation == .five
            #expect(commands.contains(.leReadNumberOfSupportedAdvertisingSets) == isNew)
            #expect(commands.contains(.leSetDefaultPHY) == isNew)
            #expect(
                commands.isSuperset(of: [
                    .reset, .leSetEventMask, .leReadBufferSize, .leClearFilterAcceptList,
                    .leClearResolvingList, .leWriteSuggestedDefaultDataLength,
                ])
            )
            let host = try await scene.fixture.makeHost()
            for round in 1...2 {
                try await scene.bluez.advertise(name: "round \(round)")
                _ = try await scene.discover(host) { $0.data.localName == "round \(round)" }
                try await scene.bluez.stopAdvertising()
                try await scene.bluez.powerOff()
                try await scene.bluez.powerOn()
            }
        }
    }

    /// When the link ends, the kernel sends commands to enable its advertising again. The
    /// controller's delay makes each of these commands take longer than the power-off.
    @Test(
        "Power-off during a command causes no error except its cancellation",
        arguments: Setting.all
    )
    func powerOffDuringACommand(_ setting: Setting) async throws {
        try await withKernel(
            setting,
            as: .peripheral,
            "power-off during a command",
            allowing: [.commandCanceledByPowerOff]
        ) { scene in
            let host = try await scene.fixture.makeHost()
            let shared = try await scene.visitBlueZ(from: host)
            let kernel = scene.fixture.kernel
            await scene.fixture.air.perform { world in
                var faults = FaultPlan()
                // The command and its answer together stay below the 2 seconds that the kernel
                // gives each command.
                faults.toHost.fixed = .milliseconds(600)
                world.setFaults(faults, of: kernel)
            }
            try await scene.end(shared.link)
            try await scene.bluez.powerOff()
        }
    }

    @Test("The scenario detects an error in the kernel's log")
    func errorDetection() async throws {
        let setting = Setting.latest
        try await withKernel(
            setting,
            as: .peripheral,
            "a controller that fails",
            allowing: [.hardwareError]
        ) { scene in
            try await scene.bluez.powerOn()
            let before = try await scene.problems()
            #expect(before == [])
            try await scene.restartController()
            let host = try await scene.fixture.makeHost()
            try await scene.bluez.advertise(name: "again")
            _ = try await scene.discover(host) { $0.data.localName == "again" }
            let problems = try await scene.problems()
            #expect(problems.contains { Allowance.hardwareError.covers($0) })
        }
    }
}

extension KernelScene {
    /// Restarts the controller, and waits until the kernel has powered it on again. Until then, the
    /// kernel refuses advertisements.
    fileprivate func restartController() async throws {
        let resetCount = try await resetCount
        let kernel = fixture.kernel
        await fixture.air.perform { world in
            var faults = FaultPlan()
            faults.restart = world.now
            world.setFaults(faults, of: kernel)
        }
        try await within(Limits.step, "the kernel's reset of its controller") {
            while try await self.resetCount == resetCount { try await bluez.shell("true") }
        }
        try await within(Limits.step, "the kernel's power-on") {
            while try await !bluez.isPowered {}
        }
    }

    private var resetCount: Int {
        get async throws { try await wire().commands.count { $0 == .reset } }
    }
}
