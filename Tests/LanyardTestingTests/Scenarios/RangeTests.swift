// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTestSupport
import LanyardTesting
import Testing

@Suite("Range loss and return", .eachSystem)
struct RangeTests {
    @Test("Row 8: An accessory out of range becomes ready soon after its return")
    func walk() async throws {
        let world = TestWorld(seed: 81)
        let strap = world.add(.strap)
        try await world.run {
            let known = try await world.phone.central(.strap).pair(.strap)
            for _ in 1...3 {
                strap.walk(to: .outOfRange, over: .seconds(10))
                try await world.expect(known, becomes: .outOfRange, within: .seconds(40))
                try await world.advance(by: .seconds(900))
                #expect(known.state == .outOfRange)
                strap.comeBack()
                try await world.expect(known, becomes: .ready, within: .seconds(3))
            }
        }
    }

    @Test("Row 8: An accessory that restarts reconnects when it advertises again")
    func reboot() async throws {
        let world = TestWorld(seed: 82)
        let strap = world.add(.strap)
        try await world.run {
            let known = try await world.phone.central(.strap).pair(.strap)
            strap.reboot(after: .seconds(30))
            try await world.expect("the restart is noticed", within: .seconds(40)) {
                known.state != .ready
            }
            try await world.expect(known, becomes: .ready, within: .seconds(40))
        }
    }

    @Test("Row 8: An accessory with an empty battery is out of range until it is switched on")
    func battery() async throws {
        let world = TestWorld(seed: 83)
        let strap = world.add(
            .strap.with { $0.services[1] = .battery(3, losing: 1, every: .seconds(20)) }
        )
        try await world.run {
            let known = try await world.phone.central(.strap).pair(.strap)
            #expect(try await known.read(BatteryLevel.self).percentage == 3)
            try await world.advance(by: .seconds(25))
            #expect(try await known.read(BatteryLevel.self).percentage == 2)
            try await world.expect(known, becomes: .outOfRange, within: .seconds(60))
            strap.switchOn()
            try await world.expect(known, becomes: .ready, within: .seconds(5))
        }
    }

    @Test("Row 8: A link that the app ended is not restored until the app connects")
    func own() async throws {
        let world = TestWorld(seed: 84)
        let strap = world.add(.strap)
        try await world.run {
            let known = try await world.phone.central(.strap).pair(.strap)
            try await known.disconnect()
            #expect(known.state == .idle)
            try await world.expectNever(known, becomes: .ready, for: .seconds(60))
            #expect(await strap.linkCount == 0)
            known.connect()
            try await world.expect(known, becomes: .ready, within: .seconds(10))
        }
    }

    @Test(
        "Row 8: An accessory reconnects although 30 % of all packets are lost",
        arguments: 1...5 as ClosedRange<UInt64>
    )
    func interference(seed: UInt64) async throws {
        let world = TestWorld(seed: seed)
        let strap = world.add(.strap)
        try await world.run {
            let known = try await world.phone.central(.strap).pair(.strap)
            strap.disturb(losing: 0.3)
            world.phone.disturb(losing: 0.3)
            strap.dropLink()
            try await world.expect("the lost link is noticed", within: .seconds(10)) {
                known.state != .ready
            }
            try await world.expect(known, becomes: .ready, within: .seconds(60))
        }
    }

    @Test("Row 11: Devices appear and disappear, and a connected device stays present")
    func presence() async throws {
        let world = TestWorld(seed: 111)
        let strap = world.add(.strap, at: .outOfRange)
        try await world.run {
            let central = world.phone.central(.strap)
            let events = try central.presence(matching: .service("180D"))
            Task {
                for await event in events {
                    switch event {
                    case .discovered: world.story.note("presence: discovered")
                    case .lost: world.story.note("presence: lost")
                    case .updated: break
                    }
                }
            }
            strap.walk(to: .near)
            try await world.expect("the strap is discovered", within: .seconds(3)) {
                world.story.texts.contains("presence: discovered")
            }
            let known = try await central.pair(.strap)
            try await world.advance(by: .seconds(120))
            #expect(!world.story.texts.contains("presence: lost"))
            try await known.disconnect()
            try await world.advance(by: .seconds(2))
            strap.walk(to: .outOfRange)
            try await world.expect("the strap is lost", within: .seconds(30)) {
                world.story.texts.contains("presence: lost")
            }
        }
    }

    @Test("Row 14: An accessory keeps its identity when its address changes")
    func identity() async throws {
        let world = TestWorld(seed: 141)
        let description = AccessoryDescription.strap.with {
            $0.identity = .manufacturerData(company: 0xFFFF, range: 0..<2)
            $0.matcher = .all(.service("180D"), .manufacturerData(company: 0xFFFF))
        }
        let strap = world.add(.strap.with { $0.manufacturerData = [0xFF, 0xFF, 0xAB, 0xCD] })
        try await world.run {
            let central = world.phone.central(description)
            let known = try await central.pair(description)
            #expect(known.id == .manufacturer(company: 0xFFFF, identifier: Data([0xAB, 0xCD])))
            for _ in 1...3 {
                strap.changeAddress()
                strap.dropLink()
                try await world.expect("the lost link is noticed", within: .seconds(5)) {
                    known.state != .ready
                }
                try await world.expect(known, becomes: .ready, within: .seconds(60))
                #expect(central.accessories.map(\.id) == [known.id])
            }
        }
    }
}
