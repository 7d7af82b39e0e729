// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Synchronization
import Testing

/// A world with virtual heart rate straps, and helpers for the tests of a central. The rows in the
/// names of tests are those of the table in docs/ACCESSORIES.md.
final class CentralFixture: Sendable {
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
            return world.add(strap, at: .meters(Double(index + 1)))
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

    /// A strap with a characteristic for writes with response, one for writes without, and an echo.
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

    /// Returns a central on the phone, with the same name and store at each launch.
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

    // MARK: Recording

    /// The recorded events, for failure messages.
    var log: String { recorder.recording.events.map(\.description).joined(separator: "\n") }

    var lastCall: String? {
        recorder.recording.events.last { $0.lane == .call }?.text
    }

    /// Returns the number of calls to Core Bluetooth with this prefix.
    func count(of call: String) -> Int {
        recorder.recording.events.count { $0.lane == .call && $0.text.hasPrefix(call) }
    }
}

/// The values that closures received.
final class ReceivedValues<Value: Sendable>: Sendable {
    private let received = Mutex<[Value]>([])

    var values: [Value] { received.withLock { $0 } }

    func add(_ value: Value) { received.withLock { $0.append(value) } }
}
