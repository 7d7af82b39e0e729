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

    /// Starts a group of two radios, runs `body` with it, and shuts it down.
    private func withGroup(
        in world: sending World,
        _ body: (RadioGroup) async throws -> Void
    ) async throws {
        let controllers = try [1.0, 2.0].map {
            try world.addController(ControllerConfiguration(at: Position(x: $0, y: 0)))
        }
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
        try await body(group)
        await group.shutdown()
    }

    @Test("Choices of radios that are made at the same time are all stored")
    func concurrentPins() async throws {
        try await withGroup(in: World(seed: 1)) { group in
            let count = 200
            await withTaskGroup(of: Bool.self) { tasks in
                for number in 0..<count {
                    let address = DeviceAddress(value: UInt64(number), kind: .public)
                    tasks.addTask { await group.pin(address, toRadio: "study") }
                }
                for await isStored in tasks { #expect(isStored) }
            }
            let stored = RadioPins(await group.hosts[0].applicationRecord(RadioPins.recordName))
            #expect(stored.names.count == count)
            #expect(group.state.withLock { $0.core.pins.count } == count)
        }
    }

    @Test("A device is connected again directly after a disconnection, and nothing is left over")
    func again() async throws {
        let world = World(seed: 1)
        _ = try world.addController(
            ControllerConfiguration(),
            host: SimpleAccessory(.demo(name: "Demo"))
        )
        try await withGroup(in: world) { try await reconnect($0) }
    }

    private func reconnect(_ group: RadioGroup) async throws {
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
    }
}
