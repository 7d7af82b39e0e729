// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard
import LanyardTesting
import Synchronization
import Testing

/// A world with straps in it, and what a test of a central needs around that.
final class Kit: Sendable {
    let world: TestWorld
    let straps: [LiveAccessory]
    let recorder = FlightRecorder()
    let store = MemoryAccessoryStore()

    init(
        seed: UInt64 = 1,
        straps count: Int = 1,
        _ change: (inout VirtualAccessory) -> Void = { _ in }
    ) {
        let world = TestWorld(seed: seed)
        self.world = world
        straps = (0..<count).map { index in
            var strap = Self.virtualStrap
            strap.name = "Strap \(index)"
            change(&strap)
            return world.add(strap, at: .metres(Double(index + 1)))
        }
    }

    static let strap = AccessoryDescription(
        kind: "strap",
        matching: .service("180D"),
        services: [
            ServiceDescription(
                "180D",
                [
                    .subscribe("2A37"), .read("2A38"), .write("2A39"), .write("1B02"),
                    CharacteristicDescription("1B01", [.write, .subscribe]),
                ]
            ),
            ServiceDescription("180F", [.read("2A19")], isRequired: false),
        ]
    )

    /// A strap with a characteristic that is written with response only, one without only, and an echo.
    static let virtualStrap = VirtualAccessory(
        "Strap",
        services: [
            VirtualService(
                "180D",
                [
                    .notifying("2A37", every: .seconds(1)) { [0x06, UInt8(60 + $0 % 40)] },
                    .readable("2A38", [0x01]),
                    .writable("2A39") { $0 == [0xFF] ? .refuses(code: 0x80) : .accepts }
                        .withResponse(),
                    .writable("1B02").withoutResponse(),
                    .echo("1B01"),
                ]
            ),
            .battery(80),
        ],
        advertisedServices: ["180D"]
    )

    /// A central on the phone; with the same name and store, as at another launch.
    func central(
        _ descriptions: AccessoryDescription...,
        change: (inout AccessoryCentral.Configuration) -> Void = { _ in }
    ) -> AccessoryCentral {
        var configuration = world.phone.configuration
        configuration.store = store
        configuration.recorder = recorder
        change(&configuration)
        return AccessoryCentral(
            for: descriptions.isEmpty ? [Self.strap] : descriptions,
            configuration: configuration
        )
    }

    // MARK: What was written down

    /// What was written down, for a failure.
    var log: String { recorder.recording.events.map(\.description).joined(separator: "\n") }

    /// The last thing that was asked of Core Bluetooth.
    var lastCall: String? {
        recorder.recording.events.last { $0.lane == .call }?.text
    }

    /// How often something was asked of Core Bluetooth.
    func count(of call: String) -> Int {
        recorder.recording.events.count { $0.lane == .call && $0.text.hasPrefix(call) }
    }
}

/// What closures were told.
final class Heard<Value: Sendable>: Sendable {
    private let kept = Mutex<[Value]>([])

    var values: [Value] { kept.withLock { $0 } }

    func add(_ value: Value) { kept.withLock { $0.append(value) } }
}
