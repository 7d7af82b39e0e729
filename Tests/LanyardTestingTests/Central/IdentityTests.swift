// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("An accessory whose address changes")
struct IdentityTests {
    private static var description: AccessoryDescription {
        var description = Kit.strap
        description.identity = .manufacturerData(company: 0x0059, range: 0..<4)
        return description
    }

    @Test("stays whose it is, when another description would tell it apart in another way")
    func described() async throws {
        let kit = Kit { $0.manufacturerData = [0x59, 0x00, 1, 2, 3, 4] }
        var other = Self.description
        other.kind = "other"
        other.timeouts.scanning = .seconds(20)
        try await kit.world.run(for: .seconds(600)) { [other] in
            let central = kit.central(Kit.strap, other)
            let strap = try await central.pair(Kit.strap)
            try await strap.disconnect()
            await #expect(throws: AccessoryError.notFound(after: .seconds(20))) {
                try await central.pair(other)
            }
            strap.connect()
            try await strap.untilReady()
            #expect(try await strap.read("2A38") == Data([1]))
            await central.shutDown()
        }
    }

    @Test("can be used and forgotten though it tells who it is later than it was paired")
    func renamed() async throws {
        let kit = Kit { $0.manufacturerData = [0x59, 0x00, 1, 2, 3, 4] }
        try await kit.world.run(for: .seconds(600)) {
            let first = kit.central()
            _ = try await first.pair(Kit.strap)
            await first.shutDown()
            // The next version of the application tells them apart in another way.
            let second = kit.central(Self.description)
            let strap = try #require(second.knownAccessory(Self.description))
            try await strap.untilReady()
            try await strap.disconnect()
            for await _ in try second.presence(matching: .service("180D")) { break }
            strap.connect()
            try await strap.untilReady()
            #expect(try await strap.read("2A38") == Data([1]))
            try await second.forget(strap)
            #expect(kit.store.accessories.isEmpty)
            await second.shutDown()
        }
    }

    @Test("Row 14: is one accessory, by what it says in its manufacturer's data")
    func rotation() async throws {
        let kit = Kit { $0.manufacturerData = [0x59, 0x00, 1, 2, 3, 4] }
        try await kit.world.run(for: .seconds(600)) {
            let central = kit.central(Self.description)
            let strap = try await central.pair(Self.description)
            #expect(strap.id == .manufacturer(company: 0x0059, identifier: Data([1, 2, 3, 4])))
            let changes = strap.changes
            kit.straps[0].walk(to: .outOfRange)
            for await change in changes where change.state == .outOfRange { break }
            kit.straps[0].changeAddress()
            kit.straps[0].comeBack()
            try await strap.untilReady()
            #expect(central.accessories.count == 1)
            let value = try await strap.read("2A38")
            #expect(value == Data([1]))
            // Also at the next launch, when it has another address again.
            await central.shutDown()
            kit.straps[0].changeAddress()
            let later = kit.central(Self.description)
            let same = try #require(later.knownAccessory(Self.description))
            #expect(same.id == strap.id)
            try await same.untilReady()
            await later.shutDown()
        }
    }
}
