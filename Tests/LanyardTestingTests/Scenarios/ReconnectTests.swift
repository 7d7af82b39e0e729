// SPDX-License-Identifier: Apache-2.0

import Lanyard
import LanyardTesting
import Testing

@Suite("Reconnection by the system or the central", .eachSystem)
struct ReconnectTests {
    @Test(
        "Row 22: After a lost link, the system or the central makes the accessory ready again",
        arguments: [SystemReconnect.whereAvailable, .never]
    )
    func lost(reconnect: SystemReconnect) async throws {
        let world = TestWorld(seed: 221)
        let strap = world.add(.strap)
        let description = AccessoryDescription.strap.with { $0.systemReconnect = reconnect }
        try await world.run {
            let known = try await world.phone.central(description).pair(description)
            world.story.follow(known)
            strap.walk(to: .outOfRange, over: .seconds(10))
            try await world.expect(known, becomes: .outOfRange, within: .seconds(40))
            let isLeftToSystem = world.story.texts.contains { $0.contains("The system reconnects") }
            #expect(isLeftToSystem == (reconnect == .whereAvailable), "\(world.story)")
            strap.comeBack()
            try await world.expect(known, becomes: .ready, within: .seconds(10))
            var values = try known.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
        }
    }

    @Test("Row 22: The system does not reconnect an accessory that the app disconnected")
    func ended() async throws {
        let world = TestWorld(seed: 222)
        let strap = world.add(.strap)
        try await world.run {
            let known = try await world.phone.central(.strap).pair(.strap)
            strap.walk(to: .outOfRange)
            try await world.expect(known, becomes: .outOfRange, within: .seconds(40))
            try await known.disconnect()
            strap.comeBack()
            try await world.expectNever(known, becomes: .ready, for: .seconds(60))
            #expect(await strap.linkCount == 0)
        }
    }
}
