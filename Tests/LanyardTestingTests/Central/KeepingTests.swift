// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Keeping an accessory connected", .eachSystem)
struct KeepingTests {
    @Test(
        "Row 8: An accessory out of range reconnects when it returns, and sends values again",
        arguments: [SystemReconnect.whereAvailable, .never]
    )
    func walk(_ reconnect: SystemReconnect) async throws {
        let fixture = CentralFixture()
        var description = CentralFixture.strap
        description.systemReconnect = reconnect
        try await fixture.world.run(for: .seconds(600)) { [description] in
            let central = fixture.central(description)
            let strap = try await central.pair(description)
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            _ = await values.next()
            let changes = strap.changes
            fixture.straps[0].walk(to: .outOfRange)
            for await change in changes where change.state == .outOfRange { break }
            await #expect(throws: AccessoryError.notConnected) { try await strap.read("2A38") }
            try await fixture.world.advance(by: .seconds(60))
            fixture.straps[0].comeBack()
            try await strap.untilReady()
            _ = await values.next()
            #expect(try await strap.read("2A38") == Data([1]))
            await central.shutDown()
        }
    }

    @Test("An accessory that always disconnects causes few connection requests")
    func storm() async throws {
        let fixture = CentralFixture()
        var description = CentralFixture.strap
        // Otherwise the system would reconnect by itself.
        description.systemReconnect = .never
        try await fixture.world.run(for: .seconds(1_200)) { [description] in
            let central = fixture.central(description)
            _ = try await central.pair(description)
            for _ in 1...600 {
                try await fixture.world.advance(by: .seconds(1))
                if await fixture.straps[0].linkCount > 0 { fixture.straps[0].dropLink() }
            }
            // At most ten bursts of nine attempts, and ten pauses of a minute.
            #expect(
                (10...100).contains(fixture.count(of: "connect")),
                "\(fixture.count(of: "connect"))"
            )
            await central.shutDown()
        }
    }

    @Test("Row 7: The next launch finds the accessory without a scan")
    func nextLaunch() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let first = fixture.central()
            let id = try await first.pair(CentralFixture.strap).id
            await first.shutDown()
            let second = fixture.central()
            let strap = try #require(second.knownAccessory(CentralFixture.strap))
            #expect(strap.id == id)
            #expect(strap.name == "Strap 0")
            #expect(strap.state == .waitingForBluetooth)
            try await strap.untilReady()
            #expect(try await second.accessory(CentralFixture.strap) === strap)
            #expect(fixture.count(of: "scanForPeripherals") == 1)
            await second.shutDown()
        }
    }

    @Test("An accessory disconnects, and connects again on request")
    func disconnect() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            try await strap.disconnect()
            #expect(strap.state == .idle)
            try await fixture.world.advance(by: .seconds(30))
            #expect(strap.state == .idle)
            await #expect(throws: AccessoryError.abandoned(.resting(.disconnected))) {
                try await strap.untilReady()
            }
            strap.connect()
            try await strap.untilReady()
            await central.shutDown()
        }
    }

    @Test("A disconnection returns when the link has ended, even if the app reconnects first")
    func pairedAgain() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let changes = strap.changes
            async let ended: Void = strap.disconnect()
            for await change in changes where change.state == .disconnecting { break }
            strap.connect()
            try await ended
            try await strap.untilReady()
            await central.shutDown()
        }
    }

    @Test("Row 6: Forgetting an accessory ends its link and sequences, and empties the store")
    func forget() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let (changes, values) = (strap.changes, try strap.values(of: "2A37"))
            var list = central.accessoryChanges.makeAsyncIterator()
            guard case .added(let added)? = await list.next() else { throw CancellationError() }
            #expect(added === strap)
            try await central.forget(strap)
            guard case .removed(let removed)? = await list.next() else { throw CancellationError() }
            #expect(removed === strap)
            for await _ in changes {}
            for await _ in values {}
            #expect(central.accessories.isEmpty)
            #expect(fixture.store.accessories.isEmpty)
            #expect(fixture.count(of: "cancelPeripheralConnection") == 1)
            // The accessory is unknown now, and can be paired again.
            #expect(try await central.pair(CentralFixture.strap).state == .ready)
            await central.shutDown()
        }
    }

    @Test(
        "A request for an accessory that is being forgotten pairs it again",
        arguments: [0, 1, 2]
    )
    func pairedWhileForgotten(way: Int) async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            guard case .system(let identifier) = strap.id else { throw CancellationError() }
            let changes = strap.changes
            async let forgotten: Void = central.forget(strap)
            for await change in changes where change.state == .disconnecting { break }
            let again =
                switch way {
                case 0: try await central.accessory(CentralFixture.strap)
                case 1: try await central.pair(CentralFixture.strap)
                default: try await central.pair(CentralFixture.strap, with: identifier)
                }
            try await forgotten
            #expect(again !== strap)
            #expect(again.state == .ready)
            #expect(central.accessories.map(\.id) == [again.id])
            #expect(fixture.store.accessories.map(\.identity) == [again.id])
            #expect(try await again.read("2A38") == Data([1]))
            await central.shutDown()
        }
    }

    @Test("An accessory that is being forgotten cannot be paired again through its object")
    func pairIfNeededWhileForgotten() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let changes = strap.changes
            async let forgotten: Void = central.forget(strap)
            for await change in changes where change.state == .disconnecting { break }
            await #expect(throws: AccessoryError.abandoned(.resting(.forgotten))) {
                try await strap.pairIfNeeded()
            }
            try await forgotten
            #expect(central.accessories.isEmpty)
            #expect(fixture.store.accessories.isEmpty)
            await central.shutDown()
        }
    }

    @Test("A closure that is added after the end of the central gets the last state")
    func lateClosure() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            await central.shutDown()
            let received = ReceivedValues<AccessoryChange>()
            let observation = strap.onChange { received.add($0) }
            try await fixture.world.advance(by: .seconds(1))
            #expect(received.values == [strap.latestChange])
            observation.cancel()
        }
    }

    @Test("Row 1: An accessory reconnects after Bluetooth was off")
    func powerCycle() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let changes = strap.changes
            fixture.world.phone.isPoweredOn = false
            for await change in changes where change.state == .poweredOff { break }
            fixture.world.phone.isPoweredOn = true
            try await strap.untilReady()
            #expect(try await strap.read("2A38") == Data([1]))
            await central.shutDown()
        }
    }

    @Test("Row 10: Closures and sequences receive every change")
    func changes() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let received = ReceivedValues<AccessoryChange>()
            let observation = strap.onChange { received.add($0) }
            let sequence = strap.changes
            try await strap.disconnect()
            var states: [AccessoryState] = []
            for await change in sequence {
                states.append(change.state)
                if change.state == .idle { break }
            }
            #expect(states == [.ready, .disconnecting, .idle])
            #expect(received.values.map(\.state) == states)
            observation.cancel()
            strap.connect()
            try await strap.untilReady()
            #expect(received.values.map(\.state) == states)
            await central.shutDown()
        }
    }

    @Test("Releasing the central ends its link")
    func released() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            weak var weakStrap: Accessory?
            weak var weakCentral: AccessoryCentral?
            do {
                let central = fixture.central()
                let strap = try await central.pair(CentralFixture.strap)
                (weakStrap, weakCentral) = (strap, central)
                await #expect(throws: Never.self) { try await strap.untilReady() }
            }
            try await fixture.world.advance(by: .seconds(1))
            #expect(weakCentral == nil)
            #expect(weakStrap == nil)
            // Another central can connect to the strap now.
            let other = fixture.central {
                $0.name = "other"; $0.store = MemoryAccessoryStore()
            }
            #expect(try await other.pair(CentralFixture.strap).state == .ready)
            await other.shutDown()
        }
    }
}
