// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Presence", .eachSystem)
struct PresenceTests {
    @Test("Row 11: Presence reports appearances and losses, and scans only with a subscriber")
    func comesAndGoes() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            do {
                let events = try central.presence(matching: .service("180D"))
                var iterator = events.makeAsyncIterator()
                guard case .discovered(let device)? = await iterator.next() else {
                    throw Unexpected(nil)
                }
                #expect(device.discovery?.name == "Strap 0")
                try await fixture.world.advance(by: .seconds(30))
                let left = fixture.world.now
                fixture.straps[0].switchOff()
                for await event in events {
                    guard case .lost(let lost, .silent) = event else { continue }
                    #expect(lost.identity == device.identity)
                    break
                }
                #expect(fixture.world.now - left < .seconds(10))
                fixture.straps[0].switchOn()
                for await event in events { if case .discovered = event { break } }
            }
            try await fixture.world.advance(by: .seconds(1))
            #expect(fixture.lastCall == "stopScan")
            await central.shutDown()
        }
    }

    @Test("A sequence beyond the limit ends at once, with a note in the flight recording")
    func limit() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let sequences = try (0..<257).map { _ in
                try central.presence(matching: .service("1800"))
            }
            var last = sequences[256].makeAsyncIterator()
            #expect(await last.next() == nil)
            let notes = fixture.recorder.recording.events.filter { $0.lane == .note }.map(\.text)
            #expect(notes.contains("presence ends at once: 256 scans are requested"))
            await central.shutDown()
        }
    }

    @Test("Row 11: A connected device is not lost, although it does not advertise")
    func connected() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let received = ReceivedValues<PresenceEvent>()
            let events = try central.presence(matching: .service("180D"))
            let listener = Task { for await event in events { received.add(event) } }
            try await fixture.world.advance(by: .seconds(10))
            let strap = try await central.pair(CentralFixture.strap)
            try await fixture.world.advance(by: .seconds(120))
            #expect(!received.values.contains { if case .lost = $0 { true } else { false } })
            try await strap.disconnect()
            try await fixture.world.advance(by: .seconds(60))
            #expect(!received.values.contains { if case .lost = $0 { true } else { false } })
            listener.cancel()
            await listener.value
            await central.shutDown()
        }
    }

    @Test("A device is lost although its link ends only after its accessory was forgotten")
    func forgotten() async throws {
        let fixture = CentralFixture()
        let strap = CentralFixture.strap.with { $0.timeouts.disconnecting = .milliseconds(100) }
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central(strap)
            let received = ReceivedValues<PresenceEvent>()
            let observation = try central.presence(matching: .service("180D")).forEach {
                received.add($0)
            }
            try await fixture.world.advance(by: .seconds(10))
            let accessory = try await central.pair(strap)
            fixture.straps[0].switchOff()
            try await central.forget(accessory)
            try await fixture.world.advance(by: .seconds(120))
            #expect(received.values.contains { if case .lost = $0 { true } else { false } })
            observation.cancel()
            await central.shutDown()
        }
    }

    @Test("A device that is discovered while it is connected is not lost")
    func discoveredWhileConnected() async throws {
        let world = TestWorld(seed: 92)
        let gateway = world.addPhone("gateway")
        try await world.run(for: .seconds(600)) {
            let peripheral = AccessoryPeripheral(
                PublishedAccessory(
                    name: "Gateway",
                    services: [PublishedService("FF00", [.readable("FF01", Data([1]))])]
                ),
                configuration: gateway.peripheralConfiguration
            )
            let description = AccessoryDescription(
                kind: "gateway",
                matching: .service("FF00"),
                services: []
            )
            let central = world.phone.central(description)
            let accessory = try await central.pair(description)
            let received = ReceivedValues<PresenceEvent>()
            let observation = try central.presence(matching: .service("FF00")).forEach {
                received.add($0)
            }
            try await world.expect("the gateway is discovered", within: .seconds(5)) {
                !received.values.isEmpty
            }
            // The advertising ends, and the link remains.
            peripheral.close()
            try await world.advance(by: .seconds(120))
            #expect(accessory.state == .ready)
            #expect(!received.values.contains { if case .lost = $0 { true } else { false } })
            observation.cancel()
        }
    }
}
