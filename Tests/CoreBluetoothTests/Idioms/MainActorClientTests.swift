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
        let fixture = try Fixture(.thermometer(name: "Shelf"))
        try await fixture.runOnMain { journal in
            let model = ThermometerModel()
            model.onStatus = { journal.add($0) }
            model.start(options: [CBManagerOptionAdapterKey: fixture.adapter])
            await journal.wait(for: "measuring")
            #expect(model.celsius == 21.5)
            model.forget()
            await journal.wait(for: "disconnected")
            #expect(!model.isReconnecting)
        }
    }

    @Test("A model with preconcurrency conformances turns a lamp on")
    func preconcurrency() async throws {
        let fixture = try Fixture(.batteryLamp(name: "Lamp"))
        try await fixture.runOnMain { journal in
            let model = LampModel()
            model.onChange = { journal.add($0.isOn ? "on" : "hint \($0.hint ?? "none")") }
            model.start(options: [CBManagerOptionAdapterKey: fixture.adapter])
            await journal.wait(for: "hint On (1) or off (0)")
            model.set(true)
            await journal.wait(for: "on")
            #expect(model.problem == nil)
        }
    }

    @Test("A delegate on its own queue provides a sequence of discoveries")
    func stream() async throws {
        let fixture = try Fixture(.thermometer(name: "Shelf"), .heartRate(name: "Strap"))
        try await fixture.run {
            var names: Set<String> = []
            let options = [CBManagerOptionAdapterKey: fixture.adapter]
            let queue = DispatchQueue(label: "scanner")
            // The manager is made on the queue, and virtual time waits for that.
            fixture.air.executor.beginOutsideWork()
            let stream = discoveries(on: queue, options: options)
            queue.async { fixture.air.executor.endOutsideWork() }
            for await match in stream {
                #expect((-127..<20).contains(match.strength))
                if let name = match.name { names.insert(name) }
                if names.count == 2 { break }
            }
            #expect(names == ["Shelf", "Strap"])
        }
    }
}
