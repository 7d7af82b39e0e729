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
        ) { fixture in
            let properties = try await fixture.bluez.powerOn()
            #expect(properties["Powered"] == .boolean(true))
            #expect(properties["Address"].text == "C4:F0:00:00:00:01")
            #expect(properties["AddressType"].text == "public")
            #expect(
                Set(properties["Roles"].elements.compactMap(\.text)).isSuperset(of: [
                    "central", "peripheral",
                ])
            )
            let commands = Set(try await fixture.wire().commands)
            let isNew = setting.generation == .five
            #expect(commands.contains(.leReadNumberOfSupportedAdvertisingSets) == isNew)
            #expect(commands.contains(.leSetDefaultPHY) == isNew)
            #expect(
                commands.isSuperset(of: [
                    .reset, .leSetEventMask, .leReadBufferSize, .leClearFilterAcceptList,
                    .leClearResolvingList, .leWriteSuggestedDefaultDataLength,
                ])
            )
            let host = try await fixture.kernelAir.makeHost()
            for round in 1...2 {
                try await fixture.bluez.advertise(name: "round \(round)")
                _ = try await fixture.discover(host) { $0.data.localName == "round \(round)" }
                try await fixture.bluez.stopAdvertising()
                try await fixture.bluez.powerOff()
                try await fixture.bluez.powerOn()
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
        ) { fixture in
            let host = try await fixture.kernelAir.makeHost()
            let shared = try await fixture.visitBlueZ(from: host)
            let kernel = fixture.kernelAir.kernel
            await fixture.kernelAir.air.perform { world in
                var faults = FaultPlan()
                // The command and its answer together stay below the 2 seconds that the kernel
                // gives each command.
                faults.toHost.fixed = .milliseconds(600)
                world.setFaults(faults, of: kernel)
            }
            try await fixture.end(shared.link)
            try await fixture.bluez.powerOff()
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
        ) { fixture in
            try await fixture.bluez.powerOn()
            let before = try await fixture.problems()
            #expect(before == [])
            try await fixture.restartController()
            let host = try await fixture.kernelAir.makeHost()
            try await fixture.bluez.advertise(name: "again")
            _ = try await fixture.discover(host) { $0.data.localName == "again" }
            let problems = try await fixture.problems()
            #expect(problems.contains { Allowance.hardwareError.covers($0) })
        }
    }
}

extension KernelFixture {
    /// Restarts the controller, and waits until the kernel has powered it on again. Until then, the
    /// kernel refuses advertisements.
    fileprivate func restartController() async throws {
        let resetCount = try await resetCount
        let kernel = kernelAir.kernel
        await kernelAir.air.perform { world in
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
