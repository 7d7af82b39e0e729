// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("State restoration", .eachSystem)
struct RestorationTests {
    @Test("Row 9: A restored central continues its links and subscriptions")
    func connected() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(600)) {
            let former = kit.central()
            let id = try await former.pair(Kit.strap).id
            await kit.world.phone.endApp()
            _ = consume former
            let central = kit.central()
            let strap = try #require(central.knownAccessory(Kit.strap))
            #expect(strap.id == id)
            try await strap.untilReady()
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
            #expect(kit.count(of: "scanForPeripherals") == 1)
            await central.shutDown()
        }
    }

    @Test("Row 9: An accessory whose link the system kept is ready without any request")
    func keptLink() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(600)) {
            let phone = kit.world.phone
            let id = try await phone.launch { _ in kit.central() }.pair(Kit.strap).id
            try await kit.world.advance(by: .seconds(5))
            let before = ["connect", "discover", "setNotify"].map { kit.count(of: $0) }
            await phone.killApp(keepingLinks: true)
            try await kit.world.advance(by: .seconds(60))
            #expect(await kit.straps[0].linkCount == 1)

            let central = phone.launch { _ in kit.central() }
            let strap = try #require(central.knownAccessory(Kit.strap))
            #expect(strap.id == id)
            try await strap.untilReady()
            #expect(["connect", "discover", "setNotify"].map { kit.count(of: $0) } == before)
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
            #expect(try await strap.read("2A38") == Data([1]))
            #expect(await kit.straps[0].linkCount == 1)

            kit.straps[0].dropLink()
            try await kit.world.expect("the end is noticed", within: .seconds(5)) {
                strap.state != .ready
            }
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(10))
            await central.shutDown()
        }
    }

    @Test("A restored scan without a request is stopped")
    func scan() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(600)) {
            do {
                let former = kit.central()
                let events = try former.presence(matching: .service("180D"))
                for await event in events { if case .discovered = event { break } }
                await kit.world.phone.endApp()
            }
            let calls = kit.count(of: "stopScan")
            let central = kit.central()
            try await kit.world.advance(by: .seconds(5))
            #expect(kit.lastCall == "stopScan")
            #expect(kit.count(of: "stopScan") == calls + 1)
            await central.shutDown()
        }
    }

    @Test("Row 9: A restored central keeps the request for an accessory out of range pending")
    func away() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(600)) {
            let former = kit.central()
            let changes = try await former.pair(Kit.strap).changes
            kit.straps[0].walk(to: .outOfRange)
            for await change in changes where change.state == .outOfRange { break }
            await kit.world.phone.endApp()
            _ = consume former
            let central = kit.central()
            let strap = try #require(central.knownAccessory(Kit.strap))
            for await change in strap.changes where change.state == .outOfRange { break }
            try await kit.world.advance(by: .seconds(60))
            kit.straps[0].comeBack()
            try await strap.untilReady()
            await central.shutDown()
        }
    }
}
