// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Synchronization
import Testing

@testable import BluetoothClients

@Suite("Accessories with changing addresses", .eachSystem)
struct IdentityTests {
    private static var description: AccessoryDescription {
        var description = CentralFixture.strap
        description.identity = .manufacturerData(company: 0x0059, range: 0..<4)
        return description
    }

    @Test("A paired accessory keeps its kind if another description identifies it differently")
    func described() async throws {
        let fixture = CentralFixture { $0.manufacturerData = [0x59, 0x00, 1, 2, 3, 4] }
        var other = Self.description
        other.kind = "other"
        other.timeouts.scanning = .seconds(20)
        try await fixture.world.run(for: .seconds(600)) { [other] in
            let central = fixture.central(CentralFixture.strap, other)
            let strap = try await central.pair(CentralFixture.strap)
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

    @Test(
        "An accessory paired under the system's identity stays usable with a manufacturer identity"
    )
    func renamed() async throws {
        let fixture = CentralFixture { $0.manufacturerData = [0x59, 0x00, 1, 2, 3, 4] }
        try await fixture.world.run(for: .seconds(600)) {
            let first = fixture.central()
            _ = try await first.pair(CentralFixture.strap)
            await first.shutDown()
            // The next version of the app identifies the accessories in another way.
            let second = fixture.central(Self.description)
            let strap = try #require(second.knownAccessory(Self.description))
            try await strap.untilReady()
            try await strap.disconnect()
            for await _ in try second.presence(matching: .service("180D")) { break }
            strap.connect()
            try await strap.untilReady()
            #expect(try await strap.read("2A38") == Data([1]))
            try await second.forget(strap)
            #expect(fixture.store.accessories.isEmpty)
            await second.shutDown()
        }
    }

    @Test("The central retains each peripheral until its connection has ended")
    func unusedPeripherals() async throws {
        let name = "Rotating strap"
        let fixture = CentralFixture(seed: 71) {
            $0.name = name
            $0.manufacturerData = [0x59, 0x00, 1, 2, 3, 4]
        }
        let lines = Mutex<[String]>([])
        // Other tests run at the same time, with accessories of other names.
        try await Misuse.observing { line in
            if line.contains(name) { lines.withLock { $0.append(line) } }
        } during: {
            try await fixture.world.run(for: .seconds(600)) {
                let central = fixture.central(Self.description)
                let strap = try await central.pair(Self.description)
                let changes = strap.changes
                for _ in 1...3 {
                    fixture.straps[0].walk(to: .outOfRange)
                    for await change in changes where change.state == .outOfRange { break }
                    fixture.straps[0].changeAddress()
                    fixture.straps[0].comeBack()
                    // The address changes after the discovery, so the request for the old address
                    // stays pending.
                    for await change in changes where change.state == .connecting { break }
                    fixture.straps[0].changeAddress()
                    try await strap.untilReady()
                }
                await central.shutDown()
            }
        }
        #expect(lines.withLock { $0 } == [])
    }

    @Test("Row 14: Manufacturer data identifies an accessory across address changes")
    func rotation() async throws {
        let fixture = CentralFixture { $0.manufacturerData = [0x59, 0x00, 1, 2, 3, 4] }
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central(Self.description)
            let strap = try await central.pair(Self.description)
            #expect(strap.id == .manufacturer(company: 0x0059, identifier: Data([1, 2, 3, 4])))
            let changes = strap.changes
            fixture.straps[0].walk(to: .outOfRange)
            for await change in changes where change.state == .outOfRange { break }
            fixture.straps[0].changeAddress()
            fixture.straps[0].comeBack()
            try await strap.untilReady()
            #expect(central.accessories.count == 1)
            let value = try await strap.read("2A38")
            #expect(value == Data([1]))
            // The identity persists at the next launch, with yet another address.
            await central.shutDown()
            fixture.straps[0].changeAddress()
            let later = fixture.central(Self.description)
            let same = try #require(later.knownAccessory(Self.description))
            #expect(same.id == strap.id)
            try await same.untilReady()
            await later.shutDown()
        }
    }
}
