// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Searching for accessories", .eachSystem)
struct ScanningTests {
    @Test("Row 2: A search without a result ends after ten seconds")
    func nothing() async throws {
        let world = TestWorld(seed: 21)
        try await world.run {
            let central = world.phone.central(.strap)
            await #expect(throws: AccessoryError.notFound(after: .seconds(10))) {
                try await central.pair(.strap)
            }
            #expect(world.now >= .seconds(10) && world.now < .seconds(11))
        }
    }

    @Test("Row 2: Of several straps, the near one with the manufacturer data is found")
    func filtered() async throws {
        let world = TestWorld(seed: 22)
        let description = AccessoryDescription.strap.with {
            $0.matcher = .all(
                .service("180D"),
                .signal(atLeast: -65),
                .manufacturerData(prefix: Data([0xFF, 0xFF, 7]))
            )
        }
        let far = world.add(.strap.with { $0.manufacturerData = [0xFF, 0xFF, 7] }, at: .meters(30))
        let stranger = world.add(.strap.with { $0.manufacturerData = [0xFF, 0xFF, 8] }, at: .near)
        let ours = world.add(
            .strap.with {
                $0.manufacturerData = [0xFF, 0xFF, 7]
                $0.name = "Ours"
            },
            at: .near
        )
        try await world.run {
            let central = world.phone.central(description)
            let strap = try await central.pair(description)
            #expect(strap.name == "Ours")
            #expect(await ours.linkCount == 1)
            #expect(await far.linkCount + stranger.linkCount == 0)
        }
    }

    @Test("Row 2: Of two straps, the one with the name is found, and the search stops")
    func named() async throws {
        let world = TestWorld(seed: 24)
        let description = AccessoryDescription.strap.with {
            $0.matcher = .all(.service("180D"), .name("Right"))
        }
        let left = world.add(.strap.with { $0.name = "Left" }, at: .near)
        world.add(.strap.with { $0.name = "Right" }, at: .meters(3))
        try await world.run {
            let recorder = FlightRecorder()
            let central = world.phone.central(description) { $0.recorder = recorder }
            let strap = try await central.pair(description)
            #expect(strap.name == "Right")
            #expect(await left.linkCount == 0)
            let calls = recorder.recording.events.filter { $0.lane == .call }.map(\.text)
            #expect(calls.count { $0 == "stopScan" } == 1)
        }
    }

    @Test("Row 2: An unfiltered search is refused unless the configuration allows it")
    func unfiltered() async throws {
        let world = TestWorld(seed: 23)
        world.add(.strap)
        let description = AccessoryDescription.strap.with { $0.matcher = .name("Strap") }
        try await world.run {
            await #expect(throws: AccessoryError.unfilteredScan) {
                try await world.phone.central(description).pair(description)
            }
            await world.phone.endApp()
            let allowed = world.phone.central(description) { $0.allowsUnfilteredScans = true }
            let paired = try await allowed.pair(description)
            #expect(paired.state == .ready)
        }
    }

    @Test("Row 3: Pairing fails after ten seconds if the accessory disappears")
    func gone() async throws {
        let world = TestWorld(seed: 31)
        let strap = world.add(.strap)
        try await world.run {
            let central = world.phone.central(.strap)
            let paired = Task { try await central.pair(.strap) }
            // The strap is discovered once, and is switched off before there is a link.
            try await world.advance(by: .milliseconds(12))
            strap.switchOff()
            await #expect(throws: AccessoryError.connectingTimedOut(after: .seconds(10))) {
                _ = try await paired.value
            }
            #expect(world.now < .seconds(11))
            #expect(central.accessories.isEmpty)
        }
    }

    @Test("Row 3: The request for a known accessory stays pending without a time limit")
    func pending() async throws {
        let world = TestWorld(seed: 32)
        let strap = world.add(.strap)
        try await world.run {
            try await Self.pairAndEnd(world)
            strap.switchOff()
            let central = world.phone.central(.strap)
            let known = try #require(central.knownAccessory(.strap))
            try await world.expectNever(known, becomes: .ready, for: .seconds(3_600))
            #expect(known.state == .outOfRange)
            strap.switchOn()
            try await world.expect(known, becomes: .ready, within: .seconds(10))
        }
    }

    static func pairAndEnd(_ world: TestWorld) async throws {
        let central = world.phone.central(.strap)
        _ = try await central.pair(.strap)
        await central.shutDown()
        await world.phone.endApp()
    }

    @Test("Row 10: The timeout of a canceled search does not end the next search")
    func calledOff() async throws {
        let world = TestWorld(seed: 101)
        try await world.run {
            let central = world.phone.central(.strap)
            let search = Task { try await central.pair(.strap) }
            try await world.advance(by: .seconds(3))
            search.cancel()
            await #expect(throws: AccessoryError.cancelled) { _ = try await search.value }
            // The timeout of the canceled search passes during the next one.
            let strap = world.add(.strap, at: .outOfRange)
            async let paired = central.pair(.strap)
            try await world.advance(by: .seconds(8))
            strap.walk(to: .near)
            let known = try await paired
            #expect(known.state == .ready)
        }
    }
}
