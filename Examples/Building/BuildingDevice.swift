// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Lanyard
import LanyardTesting
import VirtualAccessories
import VirtualRadio

/// A badge that a person carries, or a sensor that stays in its room. Both notify a value that only
/// a bonded host may receive.
struct BuildingDevice: Sendable {
    let live: LiveAccessory
    let description: AccessoryDescription
    let walks: Bool
    /// The room at the start.
    let room: Int
    let period: Duration

    private static let service: BluetoothID = "4C414E59-4152-4400-A000-000000000B00"
    static let value: BluetoothID = "4C414E59-4152-4400-A000-000000000B01"
    private static let secret: BluetoothID = "4C414E59-4152-4400-A000-000000000B02"

    /// Makes the devices of a scenario, and puts the badges into random rooms.
    static func all(
        of scenario: BuildingScenario,
        in world: TestWorld,
        _ random: inout SplitMix64
    ) -> [BuildingDevice] {
        let rooms = FloorPlan.rooms.count
        let walkers = (0..<scenario.walkerCount).map { number in
            BuildingDevice(
                scenario.badge(number),
                walks: true,
                room: Int.random(in: 0..<rooms, using: &random),
                every: .milliseconds(500),
                in: world,
                &random
            )
        }
        let sensors = (0..<scenario.sensorCount).map { number in
            BuildingDevice(
                "Sensor \(number + 1)",
                walks: false,
                room: number % rooms,
                every: .seconds(1),
                in: world,
                &random
            )
        }
        return walkers + sensors
    }

    private init(
        _ name: String,
        walks: Bool,
        room: Int,
        every period: Duration,
        in world: TestWorld,
        _ random: inout SplitMix64
    ) {
        let (service, value, secret) = (Self.service, Self.value, Self.secret)
        let accessory = VirtualAccessory(
            name,
            services: [
                VirtualService(
                    service,
                    [
                        .notifying(value, every: period) { [UInt8($0 % 256)] }.protected(),
                        .readable(secret, [1]).protected(),
                    ]
                )
            ]
        )
        var description = AccessoryDescription(
            kind: name,
            matching: .all(.service(service), .name(name)),
            services: [ServiceDescription(service, [.subscribe(value), .read(secret)])]
        )
        description.pairing = .required(probing: secret)
        live = world.add(accessory)
        self.description = description
        (self.walks, self.room, self.period) = (walks, room, period)
        if let controller = live.controller {
            world.air.world.move(controller, to: Walk.spot(in: room, &random))
        }
    }

    /// Requests a connection interval now, and each time that the device is ready again.
    func requestInterval(
        _ interval: Duration,
        as accessory: Accessory,
        in world: TestWorld
    ) -> ObservationToken {
        let request: @Sendable () -> Void = { [live] in
            world.later(.zero) {
                guard let controller = live.controller else { return }
                world.air.world.perform(at: controller, as: SimpleAccessory.self) {
                    $0.perform(.requestInterval(interval), now: $1)
                }
            }
        }
        request()
        return accessory.onChange { if $0.state == .ready { request() } }
    }

    /// The shortest time without a value that counts as a pause, in seconds.
    var pauseLimit: Double { period / .seconds(1) * 1.5 }
}
