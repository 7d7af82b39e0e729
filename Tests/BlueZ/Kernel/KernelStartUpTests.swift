// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import ProcessTestSupport
import Testing
import VirtualRadio

/// The kernel takes a controller of ours into service, and out of it.
@Suite(.machines) struct KernelStartUpTests {
    @Test(arguments: Setting.all)
    func theKernelSetsItUpAndSwitchesItOffAndOn(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "the kernel on our controller") { scene in
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
            let host = try await scene.stage.makeHost()
            for round in 1...2 {
                try await scene.bluez.advertise(name: "round \(round)")
                _ = try await scene.discover(host) { $0.data.localName == "round \(round)" }
                try await scene.bluez.stopAdvertising()
                try await scene.bluez.powerOff()
                try await scene.bluez.powerOn()
            }
        }
    }

    @Test("That somebody complains is noticed")
    func theWatchIsAwake() async throws {
        let setting = Setting.latest
        try await withKernel(
            setting,
            as: .peripheral,
            "a controller that fails",
            allowing: [.hardwareError]
        ) { scene in
            try await scene.bluez.powerOn()
            let before = try await scene.complaints()
            #expect(before == [])
            let kernel = scene.stage.kernel
            await scene.stage.air.perform { world in
                var faults = FaultPlan()
                faults.restart = world.now
                world.setFaults(faults, of: kernel)
            }
            // The kernel starts the controller again, and BlueZ never hears of it.
            try await scene.bluez.shell("sync")
            let host = try await scene.stage.makeHost()
            try await scene.bluez.advertise(name: "again")
            _ = try await scene.discover(host) { $0.data.localName == "again" }
            let complaints = try await scene.complaints()
            #expect(complaints.contains { Allowance.hardwareError.covers($0) })
        }
    }
}
