// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothRadios
import BluetoothTypes
import CoreBluetooth
import HCITransports
import LanyardTesting
import Synchronization
import VirtualAdapters
import VirtualRadio

/// A corridor with a radio in each room, and one host on all of them.
final class Corridor: Sendable {
    /// The distance between two radios, in meters.
    static let roomLength = 30.0

    let rooms: [ControllerID]
    private let world: TestWorld
    private let transports: [VirtualTransport]
    private let composite = Mutex<CompositeAdapter?>(nil)
    private let store = MemoryStore()

    init(rooms count: Int, in world: TestWorld) throws {
        self.world = world
        let air = world.air
        rooms = try (0..<count).map { number in
            try air.world.addController(
                ControllerConfiguration(name: "room \(number)", at: Self.position(ofRoom: number))
            )
        }
        transports = rooms.map { air.adapter(of: $0) }
    }

    static func position(ofRoom number: Int) -> Position {
        Position(x: Double(number) * roomLength, y: 0)
    }

    /// Returns the adapter of all rooms.
    func makeAdapter() -> CBAdapter {
        var configuration = HostConfiguration()
        configuration.store = store
        configuration.privacy = .on
        let seed = world.seed
        return CBAdapter(
            radios: transports,
            executor: world.air.executor,
            configuration: configuration,
            adjust: { number, configuration in
                configuration.randomness = SplitMix64(seed: seed &* 64 &+ UInt64(number))
            },
            made: { [weak self] adapter in self?.composite.withLock { $0 = adapter } }
        )
    }

    /// Returns the radios and links now.
    func report() async -> RadioReport? {
        let adapter = composite.withLock { $0 }
        guard let adapter else { return nil }
        return await withCheckedContinuation { continuation in
            adapter.executor.perform { continuation.resume(returning: adapter.report) }
        }
    }

    /// Unplugs the radio of a room: its links end without a packet.
    func unplug(_ room: Int) {
        world.air.world.switchOff(rooms[room])
        transports[room].close(.closedByPeer(transports[room].name))
    }

    func plugIn(_ room: Int) { world.air.world.switchOn(rooms[room]) }
}
