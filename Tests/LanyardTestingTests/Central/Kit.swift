// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard
import LanyardTesting
import Testing
import VirtualAccessories
import VirtualRadio

/// A world with a heart rate strap in it, and what a test of the driver needs around that.
final class Kit: Sendable {
    let world: TestWorld
    let straps: [ControllerID]
    let recorder = FlightRecorder()
    let store = MemoryAccessoryStore()

    init(seed: UInt64 = 1, straps: Int = 1) throws {
        let world = TestWorld(seed: seed)
        self.world = world
        self.straps = try (0..<straps).map { index in
            try world.air.world.addController(
                ControllerConfiguration(
                    name: "Strap \(index)",
                    at: Position(x: Double(index + 1), y: 0)
                ),
                host: SimpleAccessory(.heartRate(name: "Strap \(index)"))
            )
        }
    }

    static let strap = AccessoryDescription(
        kind: "strap",
        matching: .service("180D"),
        services: [
            ServiceDescription(
                "180D",
                [.subscribe("2A37"), .read("2A38"), .write("2A39")]
            ),
            ServiceDescription("180F", [.read("2A19")], isRequired: false),
        ]
    )

    /// A central on the phone; with the same name and store, as at another launch.
    func central(
        _ description: AccessoryDescription = Kit.strap,
        _ change: (inout AccessoryCentral.Configuration) -> Void = { _ in }
    ) -> AccessoryCentral {
        var configuration = AccessoryCentral.Configuration(
            adapter: world.phone.adapter,
            timekeeper: world.timekeeper,
            seed: world.seed
        )
        configuration.store = store
        configuration.recorder = recorder
        change(&configuration)
        return AccessoryCentral(for: [description], configuration: configuration)
    }

    /// What was written down, for a failure.
    var log: String { recorder.recording.events.map(\.description).joined(separator: "\n") }
}
