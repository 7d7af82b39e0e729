// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTesting
import Testing

@testable import Lanyard

@Suite("State restoration", .eachSystem)
struct RestorationTests {
    @Test("Row 9: A restored central continues its links and subscriptions")
    func connected() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let former = fixture.central()
            let id = try await former.pair(CentralFixture.strap).id
            await fixture.world.phone.endApp()
            _ = consume former
            let central = fixture.central()
            let strap = try #require(central.knownAccessory(CentralFixture.strap))
            #expect(strap.id == id)
            try await strap.untilReady()
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
            #expect(fixture.count(of: "scanForPeripherals") == 1)
            await central.shutDown()
        }
    }

    @Test("Row 9: An accessory whose link the system kept is ready without any request")
    func keptLink() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let phone = fixture.world.phone
            let id = try await phone.launch { _ in fixture.central() }.pair(CentralFixture.strap).id
            try await fixture.world.advance(by: .seconds(5))
            let before = ["connect", "discover", "setNotify"].map { fixture.count(of: $0) }
            await phone.killApp(keepingLinks: true)
            try await fixture.world.advance(by: .seconds(60))
            #expect(await fixture.straps[0].linkCount == 1)

            let central = phone.launch { _ in fixture.central() }
            let strap = try #require(central.knownAccessory(CentralFixture.strap))
            #expect(strap.id == id)
            try await strap.untilReady()
            let linked = await withCheckedContinuation { done in
                central.driver.execute { driver in
                    done.resume(returning: driver.identities.linkedIdentifier(of: id))
                }
            }
            #expect(linked.map { .system($0) } == id)
            #expect(["connect", "discover", "setNotify"].map { fixture.count(of: $0) } == before)
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
            #expect(try await strap.read("2A38") == Data([1]))
            #expect(await fixture.straps[0].linkCount == 1)

            fixture.straps[0].dropLink()
            try await fixture.world.expect("the end is noticed", within: .seconds(5)) {
                strap.state != .ready
            }
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(10))
            await central.shutDown()
        }
    }

    @Test("A restored scan without a request is stopped")
    func scan() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            do {
                let former = fixture.central()
                let events = try former.presence(matching: .service("180D"))
                for await event in events { if case .discovered = event { break } }
                await fixture.world.phone.endApp()
            }
            let calls = fixture.count(of: "stopScan")
            let central = fixture.central()
            try await fixture.world.advance(by: .seconds(5))
            #expect(fixture.lastCall == "stopScan")
            #expect(fixture.count(of: "stopScan") == calls + 1)
            await central.shutDown()
        }
    }

    @Test("Row 9: A restored central keeps the request for an accessory out of range pending")
    func away() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let former = fixture.central()
            let changes = try await former.pair(CentralFixture.strap).changes
            fixture.straps[0].walk(to: .outOfRange)
            for await change in changes where change.state == .outOfRange { break }
            await fixture.world.phone.endApp()
            _ = consume former
            let central = fixture.central()
            let strap = try #require(central.knownAccessory(CentralFixture.strap))
            for await change in strap.changes where change.state == .outOfRange { break }
            try await fixture.world.advance(by: .seconds(60))
            fixture.straps[0].comeBack()
            try await strap.untilReady()
            await central.shutDown()
        }
    }
}
