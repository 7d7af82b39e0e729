// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import HCITransports
import Lanyard
import LanyardTesting
import Synchronization
import VirtualRadio

/// A run of the building: one host on twelve gateways, and an app with `Lanyard` that does not use
/// the gateways directly. Everything runs in virtual time.
final class BuildingSimulation: Sendable {
    let scenario: BuildingScenario
    let world: TestWorld
    let gateways: [SimulatedGateway]
    let devices: [BuildingDevice]
    let recorder: BuildingRecorder
    let adapter: CBAdapter

    /// The maximum virtual time for the pairings before the walks and the shutdown after them.
    private static let limit = Duration.seconds(3_600)
    /// The time between the pairings and the walks. A device can pair through a distant gateway, if
    /// that gateway receives it first. In this time, the link then moves to the nearest gateway. Each
    /// move doubles the time before the next one, so up to three moves happen 10, 30 and 70 s after
    /// the pairing.
    private static let settlingTime = Duration.seconds(75)
    /// The time to wait after the shutdown of the app, so that its links end, and again after the
    /// shutdown of the host, so that its leases end.
    private static let endingTime = Duration.seconds(10)

    init(_ scenario: BuildingScenario) throws {
        self.scenario = scenario
        let world = TestWorld(seed: scenario.seed)
        self.world = world
        let recorder = BuildingRecorder(seed: scenario.seed, in: world)
        self.recorder = recorder
        let gateways = try FloorPlan.rooms.map { room in
            var controller = ControllerConfiguration(name: room.name, at: room.middle)
            controller.linkLimit = scenario.linkLimit
            return try SimulatedGateway(controller, scenario.network, in: world.air) {
                recorder.note("\(room.name): \($0)")
            }
        }
        self.gateways = gateways
        var random = SplitMix64(seed: scenario.seed)
        devices = BuildingDevice.all(of: scenario, in: world, &random)
        var configuration = HostConfiguration()
        configuration.store = MemoryStore()
        configuration.privacy = .on
        let seed = scenario.seed
        adapter = CBAdapter(
            radios: gateways,
            executor: world.air.executor,
            configuration: configuration,
            adjust: { number, configuration in
                configuration.randomness = SplitMix64(seed: seed &* 64 &+ UInt64(number))
            }
        )
        recorder.observe(gateways, devices)
    }

    /// Runs the building. Returns the record of the run.
    ///
    /// - Throws: The error of a pairing, or `VirtualAirError`.
    func run() async throws -> BuildingRecord {
        try await run(for: scenario.duration) { [self] accessories in
            recorder.begin(beginWalks())
            for (number, accessory) in accessories.enumerated() {
                try recorder.follow(accessory, number)
            }
            try await recorder.pass(scenario.duration, through: scenario.incidents)
            recorder.end()
        }
        return recorder.record
    }

    /// Pairs the devices, runs `body`, and ends everything.
    ///
    /// - Parameter duration: The virtual time that `body` may take.
    /// - Throws: The error of a pairing or of `body`, or `VirtualAirError`.
    func run(
        for duration: Duration,
        _ body: @escaping @Sendable ([Accessory]) async throws -> Void
    ) async throws {
        try await world.run(for: duration + Self.limit) { [self] in
            var configuration = world.phone.configuration
            configuration.adapter = adapter
            let central = AccessoryCentral(
                for: devices.map(\.description),
                configuration: configuration
            )
            var accessories: [Accessory] = []
            var requests: [ObservationToken] = []
            for device in devices {
                let accessory = try await central.pair(device.description)
                accessories.append(accessory)
                guard let interval = scenario.interval else { continue }
                requests.append(device.requestInterval(interval, as: accessory, in: world))
            }
            try await world.advance(by: Self.settlingTime)
            try await body(accessories)
            for request in requests { request.cancel() }
            await central.shutDown()
            try await world.advance(by: Self.endingTime)
            recorder.noteRemainingLinks()
            await adapter.shutDown()
            try await world.advance(by: Self.endingTime)
            recorder.noteRemainingLeases()
        }
    }

    /// Lets the people walk from now on. Returns the devices with their paths.
    private func beginWalks() -> [BuildingRecord.Device] {
        var random = SplitMix64(seed: ~scenario.seed)
        let start = world.air.now
        return devices.map { device in
            guard let controller = device.live.controller, device.walks else {
                let place = device.live.controller.flatMap { world.position(of: $0) } ?? .origin
                return .init(
                    name: device.live.name,
                    rooms: [device.room],
                    path: [(0, place)],
                    pauseLimit: device.pauseLimit
                )
            }
            let walk = Walk(
                from: device.room,
                at: start,
                until: start + scenario.duration,
                &random
            )
            world.air.world.move(controller, along: Path(walk.waypoints))
            return .init(
                name: device.live.name,
                rooms: walk.rooms,
                path: walk.waypoints.map { (($0.instant - start) / .seconds(1), $0.position) },
                pauseLimit: device.pauseLimit
            )
        }
    }
}

extension TestWorld {
    fileprivate func position(of controller: ControllerID) -> Position? {
        air.world.status.controllers.first { $0.id == controller }?.position
    }
}
