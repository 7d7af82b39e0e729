// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories

@testable import MainActorClient
@testable import PreconcurrencyClient

@Suite("Clients on the main actor, in Swift 6")
struct MainActorClientTests {
    @Test("A model with isolated conformances measures and disconnects")
    func isolated() async throws {
        let stage = try Stage(.thermometer(name: "Shelf"))
        try await stage.runOnMain { journal in
            let model = ThermometerModel()
            model.onStatus = { journal.add($0) }
            model.start(options: [CBManagerOptionAdapterKey: stage.adapter])
            await journal.wait(for: "measuring")
            #expect(model.celsius == 21.5)
            model.forget()
            await journal.wait(for: "disconnected")
            #expect(!model.isReconnecting)
        }
    }

    @Test("A model with preconcurrency conformances turns a lamp on")
    func preconcurrency() async throws {
        let stage = try Stage(.batteryLamp(name: "Lamp"))
        try await stage.runOnMain { journal in
            let model = LampModel()
            model.onChange = { journal.add($0.isOn ? "on" : "hint \($0.hint ?? "none")") }
            model.start(options: [CBManagerOptionAdapterKey: stage.adapter])
            await journal.wait(for: "hint On (1) or off (0)")
            model.set(true)
            await journal.wait(for: "on")
            #expect(model.problem == nil)
        }
    }

    @Test("A delegate on its own queue provides a sequence of values")
    func stream() async throws {
        let stage = try Stage(.thermometer(name: "Shelf"), .heartRate(name: "Strap"))
        try await stage.run {
            var names: Set<String> = []
            let options = [CBManagerOptionAdapterKey: stage.adapter]
            let queue = DispatchQueue(label: "scanner")
            // The manager is made on the queue, and virtual time waits for that.
            stage.air.executor.beginOutsideWork()
            let sightings = sightings(on: queue, options: options)
            queue.async { stage.air.executor.endOutsideWork() }
            for await sighting in sightings {
                #expect((-127..<20).contains(sighting.strength))
                if let name = sighting.name { names.insert(name) }
                if names.count == 2 { break }
            }
            #expect(names == ["Shelf", "Strap"])
        }
    }
}
