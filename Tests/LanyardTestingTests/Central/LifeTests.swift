// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTesting
import Testing

@testable import Lanyard

@Suite("Lifetime of a central", .eachSystem)
struct LifeTests {
    @Test("A central runs as long as the app holds its accessory")
    func accessory() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let strap = try await fixture.central().pair(CentralFixture.strap)
            try await fixture.world.advance(by: .seconds(10))
            #expect(strap.state == .ready)
            #expect(await fixture.straps[0].linkCount == 1)
            #expect(try await strap.read("2A38") == Data([1]))
        }
    }

    @Test("A central runs as long as the app holds a sequence of values")
    func stream() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let values = try await fixture.central().pair(CentralFixture.strap).values(of: "2A37")
            var count = 0
            for await _ in values {
                count += 1
                if count == 5 { break }
            }
            #expect(count == 5)
            #expect(await fixture.straps[0].linkCount == 1)
        }
    }

    @Test("A central ends when the app has released everything obtained from it")
    func ends() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let driver = try await visit(fixture)
            try await fixture.world.advance(by: .seconds(5))
            #expect(await fixture.straps[0].linkCount == 0)
            #expect(driver.reference == nil)
        }
    }

    @Test("An accessory of another central is forgotten by that central")
    func forgetsForeign() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let other = fixture.central {
                $0.name = "other"
                $0.store = MemoryAccessoryStore()
            }
            let strap = try await central.pair(CentralFixture.strap)
            try await other.forget(strap)
            #expect(central.accessories.isEmpty)
            #expect(fixture.store.load().accessories.isEmpty)
            await central.shutDown()
            await other.shutDown()
        }
    }

    @Test("A central returns the same accessory object as long as the app holds it")
    func identity() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            #expect(central.knownAccessory(CentralFixture.strap) === strap)
            #expect(central.accessories.first === strap)
            await central.shutDown()
        }
    }

    private final class Weak<Object: AnyObject & Sendable>: @unchecked Sendable {
        // Unchecked: the reference is set once, before any other thread can have the object.
        private(set) weak var reference: Object?

        init(_ reference: Object) { self.reference = reference }
    }

    /// Obtains everything that a central offers, and releases it.
    private func visit(_ fixture: CentralFixture) async throws -> Weak<CentralDriver> {
        let central = fixture.central()
        let driver = Weak(central.driver)
        let strap = try await central.pair(CentralFixture.strap)
        var values = try strap.values(of: "2A37").makeAsyncIterator()
        #expect(await values.next() != nil)
        let received = ReceivedValues<AccessoryChange>()
        let observation = strap.onChange { received.add($0) }
        let presence = try central.presence(matching: .service("180D"))
        let channel = strap.messages(writing: "1B01", listening: "1B01")
        try await channel.send("hello")
        #expect(!received.values.isEmpty)
        withExtendedLifetime((observation, presence, channel)) {}
        return driver
    }
}
