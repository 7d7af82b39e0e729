// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import HCITransports
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

@testable import BluetoothRadios

@Suite("Two radios as one group, in real time", .timeLimit(.minutes(2)))
struct RadioGroupTests {
    private static let cycleCount = 20

    @Test("A device is connected again directly after a disconnection, and nothing is left over")
    func again() async throws {
        let world = World(seed: 1)
        let controllers = try [1.0, 2.0].map {
            try world.addController(ControllerConfiguration(at: Position(x: $0, y: 0)))
        }
        _ = try world.addController(
            ControllerConfiguration(),
            host: SimpleAccessory(.demo(name: "Demo"))
        )
        let air = LiveAir(world)
        defer { air.shutDown() }
        let store = SharedStore(MemoryStore())
        let hosts = controllers.map { controller in
            var configuration = HostConfiguration()
            configuration.store = store.makeMember()
            return BluetoothHost(
                transport: air.adapter(of: controller),
                configuration: configuration,
                executor: air.executor
            )
        }
        let group = RadioGroup(hosts, names: ["hall", "study"])
        #expect(try await group.start().isEmpty)
        let followerCount = group.state.withLock { $0.followers.count }
        var found: DeviceAddress?
        for try await advertisement in group.scan(for: ScanFilter(name: "Demo")) {
            found = advertisement.address
            break
        }
        let address = try #require(found)
        for cycle in 0..<Self.cycleCount {
            do {
                let link = try await group.connect(to: address)
                let timeout = try await link.properties.parameters.supervisionTimeout
                #expect(timeout == RadioRules().supervisionTimeout)
                try await link.disconnect()
            } catch {
                Issue.record("Cycle \(cycle): \(error)")
                break
            }
        }
        // A separate task reports the end of the last link to the group.
        while !group.report.peers.isEmpty { await Task.yield() }
        #expect(group.state.withLock { $0.followers.count } == followerCount)
        await group.shutdown()
    }
}
