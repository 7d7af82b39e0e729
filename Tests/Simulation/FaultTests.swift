// SPDX-License-Identifier: Apache-2.0
import BluetoothHost
import BluetoothTypes
import Testing
import VirtualRadio

/// Accessories and controllers that fail under our host.
@Suite("Failures, in virtual time")
struct FaultTests {
    @Test("An accessory that loses its power is missed, and found again")
    func powerLoss() async throws {
        let scene = try Scene(seed: 2)
        try await scene.run { [air = scene.air, scene] host in
            let link = try await Scene.connect(host)
            let timeout = try await link.properties.parameters.supervisionTimeout
            air.world.switchOff(scene.accessory)
            let off = air.now
            #expect(try await link.ended() == .disconnected(.connectionTimeout))
            #expect(air.now <= off + timeout)
            air.world.switchOn(scene.accessory)
            let again = try await Scene.connect(host)
            #expect(try await !again.discoverServices().isEmpty)
        }
    }

    @Test("A wall between the two ends their link, and its fall lets them meet")
    func partition() async throws {
        let scene = try Scene(seed: 3)
        try await scene.run { [air = scene.air, scene] host in
            air.world.assign(scene.accessory, toGroup: 1)
            let link = try await Scene.connect(host)
            air.world.separate(group: 0, from: 1)
            #expect(try await link.ended() == .disconnected(.connectionTimeout))
            air.world.join(group: 0, with: 1)
            _ = try await Scene.connect(host)
        }
    }

    @Test("A connection request that nobody hears is dialled again, until it is heard")
    func deafAccessory() async throws {
        let scene = try Scene(seed: 5)
        try await scene.run { [air = scene.air, scene] host in
            let found = try await Scene.find(host)
            // It is heard, and hears nothing: no request gets through.
            air.world.setLoss(LossPlan(constantLoss: 1), at: scene.accessory)
            let dial = Task(executorPreference: air.executor.taskExecutor) {
                try await host.connect(to: found.address)
            }
            try await air.sleep(for: .seconds(5))
            air.world.setLoss(.none, at: scene.accessory)
            let link = try await dial.value
            #expect(try await !link.discoverServices().isEmpty)
        }
    }
}
