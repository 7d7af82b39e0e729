// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("In the background", .eachSystem)
struct BackgroundTests {
    @Test("Row 20: A known accessory that was out of range is ready again, and its values arrive")
    func keeps() async throws {
        let world = TestWorld(seed: 91)
        let strap = world.add(.strap)
        try await world.run {
            let central = world.phone.central(.strap)
            let known = try await central.pair(.strap)
            world.phone.isInBackground = true
            central.isInBackground = true
            strap.walk(to: .outOfRange)
            try await world.expect(known, becomes: .outOfRange, within: .seconds(30))
            try await world.advance(by: .seconds(3_600))
            strap.comeBack()
            try await world.expect(known, becomes: .ready, within: .seconds(30))
            var values = try known.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
            #expect(try await known.read("2A19").count == 1)
        }
    }

    @Test("Row 20: An accessory with a service in its matcher can be paired")
    func pairs() async throws {
        let world = TestWorld(seed: 92)
        world.add(.strap)
        try await world.run {
            let central = world.phone.central(.strap)
            world.phone.isInBackground = true
            central.isInBackground = true
            let known = try await central.pair(.strap)
            #expect(known.state == .ready)
        }
    }

    @Test("Row 20: A search without services starts no scan and does not disturb other searches")
    func unfiltered() async throws {
        let world = TestWorld(seed: 93)
        world.add(.strap)
        world.add(VirtualAccessory("Stranger", services: [], advertisedServices: ["1B77"]))
        let recorder = FlightRecorder()
        try await world.run {
            let central = world.phone.central(.strap) {
                $0.allowsUnfilteredScans = true
                $0.recorder = recorder
            }
            world.phone.isInBackground = true
            central.isInBackground = true
            let everything = try central.presence(matching: .signal(atLeast: -120))
            let straps = try central.presence(matching: .service("180D"))
            var found = straps.makeAsyncIterator()
            guard case .discovered(let device) = await found.next() else {
                Issue.record("no strap was found")
                return
            }
            #expect(device.name == "Strap")
            #expect(recorder.details(of: "scanForPeripherals").allSatisfy { $0.contains("180D") })
            try await world.advance(by: .seconds(30))
            // The scan for straps also serves the sequence of all devices.
            var others = everything.makeAsyncIterator()
            #expect(await others.next()?.device.name == "Strap")
            central.isInBackground = false
            world.phone.isInBackground = false
            while let event = await others.next(), event.device.name != "Stranger" {}
        }
    }

    @Test("Row 20: A near device is not lost, and one that is off is lost in the foreground")
    func presence() async throws {
        let world = TestWorld(seed: 94)
        let strap = world.add(.strap)
        try await world.run {
            let central = world.phone.central(.strap)
            let events = try central.presence(matching: .service("180D"))
            let lost = ReceivedValues<Duration>()
            let reader = Task {
                for await event in events {
                    if case .lost = event { lost.add(world.now) }
                }
            }
            try await world.advance(by: .seconds(30))
            world.phone.isInBackground = true
            central.isInBackground = true
            try await world.advance(by: .seconds(3_600))
            #expect(lost.values.isEmpty)
            strap.switchOff()
            try await world.advance(by: .seconds(600))
            #expect(lost.values.isEmpty)
            world.phone.isInBackground = false
            central.isInBackground = false
            try await world.expect("the loss is noticed", within: .seconds(30)) {
                lost.values.count == 1
            }
            reader.cancel()
        }
    }

    @Test(
        "Row 20: The link of a killed app is kept only with restoration",
        arguments: [true, false]
    )
    func restoration(restores: Bool) async throws {
        let world = TestWorld(seed: 95)
        let strap = world.add(.strap)
        try await world.run {
            let phone = world.phone
            _ = try await phone.central(.strap) { $0.restores = restores }.pair(.strap)
            phone.isInBackground = true
            await phone.killApp(keepingLinks: true)
            try await world.advance(by: .seconds(60))
            #expect(await strap.linkCount == (restores ? 1 : 0))
            let recorder = FlightRecorder()
            let central = phone.central(.strap) {
                $0.restores = restores
                $0.recorder = recorder
            }
            let known = try #require(central.knownAccessory(.strap))
            try await world.expect(known, becomes: .ready, within: .seconds(30))
            #expect(recorder.count(of: "connect") == (restores ? 0 : 1))
        }
    }

    @Test("Row 20: A central pairs by name only if its `isInBackground` is false")
    func centralOnly() async throws {
        let world = TestWorld(seed: 96)
        world.add(.strap)
        let description = AccessoryDescription.strap.with { $0.matcher = .name("Strap") }
        try await world.run {
            let central = world.phone.central(description) { $0.allowsUnfilteredScans = true }
            #expect(!central.isInBackground)
            central.isInBackground = true
            #expect(central.isInBackground)
            await #expect(throws: AccessoryError.notFound(after: .seconds(10))) {
                try await central.pair(description)
            }
            central.isInBackground = false
            let paired = try await central.pair(description)
            #expect(paired.state == .ready)
        }
    }
}

extension FlightRecorder {
    /// Returns the details of all calls to Core Bluetooth with this text.
    fileprivate func details(of call: String) -> [String] {
        recording.events.filter { $0.lane == .call && $0.text == call }.compactMap(\.detail)
    }
}
