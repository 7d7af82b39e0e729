// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Foundation
import Lanyard
import LanyardTesting
import Synchronization
import VirtualAdapters
import VirtualRadio

/// A corridor, and straps that people carry.
///
/// The app uses `Lanyard` and does not choose the radios. The straps notify a protected value twice
/// a second.
final class Building: Sendable {
    /// The speed of a walker, in meters per second.
    static let speed = 1.4
    static let period = Duration.milliseconds(500)

    let world: TestWorld
    let straps: [LiveAccessory]
    let corridor: Corridor
    private let pairingRequests = Mutex(0)

    init(seed: UInt64, rooms count: Int, straps strapCount: Int = 1) throws {
        world = TestWorld(seed: seed)
        corridor = try Corridor(rooms: count, in: world)
        straps = (0..<strapCount).map { [world] in world.add(Self.strap($0), at: .meters(1)) }
        world.air.world.observe { [weak self] packet in
            guard packet.direction == .toController, Self.isPairingRequest(packet.bytes) else {
                return
            }
            self?.pairingRequests.withLock { $0 += 1 }
        }
    }

    /// The number of Pairing Requests of the hosts.
    var pairingCount: Int { pairingRequests.withLock { $0 } }

    /// Returns whether a packet is a Pairing Request: H4, ACL, L2CAP with the fixed channel 6, PDU.
    private static func isPairingRequest(_ packet: [UInt8]) -> Bool {
        packet.count > 9 && packet[0] == 0x02 && packet[7...9] == [0x06, 0x00, 0x01]
    }

    private static func strap(_ number: Int) -> VirtualAccessory {
        VirtualAccessory(
            "Strap \(number)",
            services: [
                VirtualService(
                    "180D",
                    [
                        .notifying("2A37", every: period) { [0x06, UInt8($0 % 256)] }.protected(),
                        .readable("2A38", [1]).protected(),
                    ]
                )
            ]
        )
    }

    static func description(_ number: Int) -> AccessoryDescription {
        var description = AccessoryDescription(
            kind: "strap \(number)",
            matching: .all(.service("180D"), .name("Strap \(number)")),
            services: [ServiceDescription("180D", [.subscribe("2A37"), .read("2A38")])]
        )
        description.pairing = .required(probing: "2A38")
        return description
    }

    func makeCentral(on adapter: CBAdapter) -> AccessoryCentral {
        var configuration = world.phone.configuration
        configuration.adapter = adapter
        return AccessoryCentral(
            for: straps.indices.map(Self.description),
            configuration: configuration
        )
    }

    /// Lets a strap walk along the corridor, through these rooms, and pause in each. Returns the
    /// duration.
    func walk(_ strap: Int, through rooms: [Int], pausing pause: Duration) -> Duration {
        var instant = world.air.now
        let start = instant
        var points: [Path.Waypoint] = []
        var place = rooms[0]
        for room in rooms {
            let meters = Double(abs(room - place)) * Corridor.roomLength
            instant = instant + .milliseconds(Int(meters / Self.speed * 1_000))
            place = room
            let position = Corridor.position(ofRoom: room)
            let beside = Position(x: position.x, y: 2)
            points.append(.init(beside, at: instant))
            instant = instant + pause
            points.append(.init(beside, at: instant))
        }
        if let controller = straps[strap].controller {
            world.air.world.move(controller, along: Path(points))
        }
        return instant - start
    }
}

/// The times at which an app got the values of an accessory, and its states.
final class ValueTimes: Sendable {
    private struct State {
        var times: [Duration] = []
        var states: [AccessoryState] = []
    }

    private let state = Mutex(State())
    private let token = Mutex<ObservationToken?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Follows an accessory until `end()`.
    func follow(_ accessory: Accessory, in world: TestWorld) throws {
        let values = try accessory.values(of: "2A37")
        let observation = accessory.onChange { [weak self] change in
            self?.state.withLock { $0.states.append(change.state) }
        }
        token.withLock { $0 = observation }
        let following = Task(executorPreference: world.air.executor.taskExecutor) { [weak self] in
            for await _ in values { self?.state.withLock { $0.times.append(world.now) } }
        }
        task.withLock { $0 = following }
    }

    func end() {
        task.withLock { $0 }?.cancel()
        token.withLock { $0 = nil }
    }

    var times: [Duration] { state.withLock { $0.times } }
    var states: [AccessoryState] { state.withLock { $0.states } }

    /// Returns the pauses between values that are longer than one and a half periods. A pause that
    /// has not ended is included.
    func gaps(until end: Duration) -> [Duration] {
        let times = times + [end]
        return zip(times.dropFirst(), times).map { $0 - $1 }
            .filter { $0 > Building.period + Building.period / 2 }
    }
}
