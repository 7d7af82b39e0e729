// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Discovery and subscriptions", .eachSystem)
struct DiscoveryTests {
    @Test("Rows 4, 5: An accessory becomes ready step by step, after discovery and confirmation")
    func steps() async throws {
        let world = TestWorld(seed: 41)
        world.add(.strap)
        let recorder = FlightRecorder()
        try await world.run {
            let central = world.phone.central(.strap) { $0.recorder = recorder }
            let strap = try await central.pair(.strap)
            #expect(strap.state == .ready)
            #expect(
                recorder.steps == [
                    "restoring", "scanning", "connecting", "connecting", "discoveringServices",
                    "discoveringCharacteristics", "subscribing", "ready",
                ]
            )
            #expect(recorder.count(of: "setNotifyValue") == 1)
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next()?.count == 2)
            await #expect(throws: AccessoryError.unknownCharacteristic("2A38")) {
                try await strap.read("2A38")
            }
        }
    }

    @Test("Row 4: An accessory without a required characteristic is refused")
    func missing() async throws {
        let world = TestWorld(seed: 42)
        world.add(
            VirtualAccessory("Strap", services: [VirtualService("180D", [.readable("2A38", [1])])])
        )
        try await world.run {
            let central = world.phone.central(.strap)
            let error = await #expect(throws: AccessoryError.self) {
                try await central.pair(.strap)
            }
            #expect(error?.failure?.kind == .incomplete, "\(String(describing: error))")
            #expect(central.accessories.isEmpty)
        }
    }

    @Test("Row 4: Known services are not discovered again after a lost link")
    func cached() async throws {
        let world = TestWorld(seed: 44)
        let lock = world.add(.lock)
        let recorder = FlightRecorder()
        try await world.run {
            let known = try await world.phone.central(.lock) { $0.recorder = recorder }.pair(.lock)
            #expect(recorder.count(of: "discover") == 2)
            for _ in 1...3 {
                lock.dropLink()
                try await world.expect("the lost link is noticed", within: .seconds(5)) {
                    known.state != .ready
                }
                try await world.expect(known, becomes: .ready, within: .seconds(10))
            }
            #expect(recorder.count(of: "discover") == 2, "\(recorder.steps)")
        }
    }

    @Test("Row 4: Services that change during a link are discovered again")
    func changed() async throws {
        let world = TestWorld(seed: 43)
        let strap = world.add(.box)
        try await world.run {
            let central = world.phone.central(.box)
            let box = try await central.pair(.box)
            world.story.follow(box)
            strap.removeService("1B10")
            strap.addService(
                VirtualService(
                    "1B10",
                    [.writable("1B11"), .writable("1B12"), .readable("1B13", [2])]
                )
            )
            try await world.expect("the change is noticed", within: .seconds(5)) {
                world.story.texts.contains { $0.contains("discoveringServices") }
            }
            try await world.expect(box, becomes: .ready, within: .seconds(10))
            do {
                let value = try await box.read("1B13")
                #expect(value == Data([2]))
            } catch {
                Issue.record("\(error)")
            }
            #expect(box.state == .ready)
        }
    }

    @Test(
        "Row 4: An accessory that loses a service becomes ready again when the service returns",
        arguments: [1, 30]
    )
    func returningService(seconds: Int) async throws {
        let world = TestWorld(seed: 45)
        let accessory = world.add(.box)
        try await world.run {
            let box = try await world.phone.central(.box).pair(.box)
            world.story.follow(box)
            accessory.removeService("1B10")
            try await world.expect("the lack is noticed", within: .seconds(5)) {
                world.story.texts.contains { $0.contains("it lacks 1B10") }
            }
            try await world.advance(by: .seconds(seconds))
            accessory.addService(
                VirtualService(
                    "1B10",
                    [.writable("1B11"), .writable("1B12"), .readable("1B13", [2])]
                )
            )
            // A burst of attempts is followed by one each minute.
            try await world.expect(box, becomes: .ready, within: .seconds(90))
        }
    }

    @Test("Row 5: Values arrive again after a lost link")
    func subscribedAgain() async throws {
        let world = TestWorld(seed: 51)
        let strap = world.add(.strap)
        try await world.run {
            let known = try await world.phone.central(.strap).pair(.strap)
            strap.dropLink()
            try await world.expect("the lost link is noticed", within: .seconds(5)) {
                known.state != .ready
            }
            try await world.expect(known, becomes: .ready, within: .seconds(10))
            var values = try known.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
        }
    }
}
