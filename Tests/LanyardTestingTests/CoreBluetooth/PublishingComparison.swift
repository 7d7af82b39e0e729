// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

/// A scenario for a published accessory and its central. Its events must be the same on the
/// adapter's port and on our CoreBluetooth module.
enum PublishingComparison {
    /// The description of `PublishedValueTests`, with a characteristic to write.
    private static let description: AccessoryDescription = {
        var description = PublishedValueTests.description
        description.services[0].characteristics.append(.write("FF25"))
        return description
    }()

    private static let station = PublishedAccessory(
        name: "Station",
        services: [
            PublishedService(
                "FF20",
                [
                    .computed("FF21") { _ in Data([7]) }, .readable("FF22", Data([1])),
                    .indicating("FF23", Data([0])), .notifying("FF24", Data([0])),
                    .writable("FF25"),
                ]
            )
        ]
    )

    /// Publishes the station, and returns its events and the values that its central gets.
    ///
    /// A central pairs, reads, writes and subscribes. The station sends and changes values.
    /// Bluetooth is switched off and on at the station, and the central shuts down.
    static func lines() async throws -> [String] {
        let world = TestWorld(seed: 26)
        let phone = world.addPhone("station")
        let results = ReceivedValues<String>()
        try await world.run(for: .seconds(3_600)) {
            let station = AccessoryPeripheral(
                Self.station,
                configuration: phone.peripheralConfiguration
            )
            let events = station.events
            let central = AccessoryCentral(
                for: [description],
                configuration: world.phone.configuration
            )
            let accessory = try await central.pair(description)
            let values = try accessory.values(of: "FF23")
            for characteristic: BluetoothID in ["FF21", "FF22"] {
                let value = try await accessory.read(characteristic)
                results.add("\(characteristic) is \([UInt8](value))")
            }
            try await accessory.write(Data([5]), to: "FF25")
            try await station.send(Data([2]), of: "FF23")
            station.setValue(Data([3]), of: "FF23")
            var iterator = values.makeAsyncIterator()
            for _ in 1...2 {
                let value = await iterator.next()
                results.add("received \(value.map { [UInt8]($0) } ?? [])")
            }
            phone.isPoweredOn = false
            try await world.expect(accessory, becomes: .outOfRange, within: .seconds(60))
            phone.isPoweredOn = true
            try await world.expect(accessory, becomes: .ready, within: .seconds(60))
            results.add("FF25 is \([UInt8](station.value(of: "FF25") ?? Data()))")
            await central.shutDown()
            try await world.advance(by: .seconds(10))
            station.close()
            for await event in events { results.add(text(of: event)) }
        }
        return results.values
    }

    /// Returns an event without the identifier of the central, which differs between the systems.
    private static func text(of event: PeripheralEvent) -> String {
        switch event {
        case .subscribed(_, to: let characteristic): "subscribed to \(characteristic)"
        case .unsubscribed(_, from: let characteristic): "unsubscribed from \(characteristic)"
        case .written(_, let characteristic, let value):
            "written \([UInt8](value)) to \(characteristic)"
        case .availability, .advertising, .restored, .failed: "\(event)"
        }
    }
}
