// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

/// Tests that the core of a world is a value, although its links are stored in objects.
@Suite("Copies of a world with a link")
struct LinkCopyTests {
    @Test("A copy is independent of the original and continues in the same way")
    func independence() throws {
        let harness = try LinkHarness()
        let link = try harness.connect()
        harness.world.run(for: .seconds(1))
        var copy = harness.world.core
        let counter = try #require(copy.ether.links[link]?.eventCounter)
        let received = try #require(copy.ether.links[link]?.central?.lastReceived)

        harness.world.run(for: .seconds(1))
        #expect(copy.ether.links[link]?.eventCounter == counter)
        #expect(copy.ether.links[link]?.central?.lastReceived == received)

        while let event = copy.ether.timeline.next(through: harness.world.now) {
            copy.handle(event)
        }
        let other = try #require(harness[link])
        #expect(other.eventCounter != counter)
        #expect(copy.ether.links[link]?.eventCounter == other.eventCounter)
        #expect(copy.ether.links[link]?.central?.lastReceived == other.central?.lastReceived)
        #expect(copy.ether.links[link]?.peripheral?.lastReceived == other.peripheral?.lastReceived)
    }
}
