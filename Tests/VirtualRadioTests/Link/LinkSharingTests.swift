// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Several links of one controller")
struct LinkSharingTests {
    /// Returns the number of bytes that each of the links has received in ten seconds, with all
    /// links saturated.
    private func shares(
        _ harness: LinkHarness,
        _ links: [LinkID],
        from side: LinkSide = .peripheral
    ) throws -> [Int] {
        for link in links {
            harness.tune(link, .le1M)
            let radio = try #require(harness[link]?[side]?.radio)
            harness.hosts[radio.index].stream(
                [UInt8](repeating: 1, count: 200),
                on: try harness.handle(link, side)
            )
        }
        harness.world.run(for: .seconds(1))
        for host in harness.hosts { host.forget() }
        harness.world.run(for: .seconds(10))
        return try links.map { link in
            let radio = try #require(harness[link]?[side.other]?.radio)
            return harness.hosts[radio.index].bytes(try harness.handle(link, side.other)).count
        }
    }

    @Test("The links of a central share its time", arguments: [2, 4, 8])
    func central(count: Int) throws {
        let harness = try LinkHarness(hosts: count + 1)
        let links = try (1...count).map { try harness.connect(0, $0, .milliseconds(50)) }
        let shares = try shares(harness, links)
        let total = shares.reduce(0, +)
        let least = try #require(shares.min())
        #expect(Double(least) > 0.6 * Double(total) / Double(count))
        // One link alone would have 24 exchanges of 200 bytes in 50 ms.
        #expect(Double(total) > 0.8 * 24 * 200 * 200)
        #expect(harness.hosts.allSatisfy { $0.disconnection == nil })
    }

    @Test("Links with different intervals share the radio")
    func differentIntervals() throws {
        let harness = try LinkHarness(hosts: 6)
        let intervals = [7.5, 11.25, 20, 31.25, 48.75]
        let links = try intervals.enumerated().map { number, interval in
            try harness.connect(0, number + 1, .milliseconds(interval, timeout: .seconds(4)))
        }
        let shares = try shares(harness, links)
        #expect(shares.allSatisfy { $0 > 20_000 }, "\(shares)")
        #expect(harness.hosts.allSatisfy { $0.disconnection == nil })
    }

    @Test("A peripheral of independent centrals serves all of them", arguments: 1...8)
    func severalCentrals(step: Int64) throws {
        let harness = try LinkHarness(hosts: 4)
        var links: [LinkID] = []
        for central in 1...3 {
            links.append(try harness.connect(central, 0, .milliseconds(30)))
            harness.world.run(for: .milliseconds(30) + .microseconds(step * 300))
        }
        let shares = try shares(harness, links, from: .central)
        // A link whose anchor is just before the anchor of another link has at least one exchange
        // of 200 bytes in every second event. Ten seconds have 333 events.
        #expect(shares.allSatisfy { $0 > 30_000 }, "\(shares)")
        #expect(harness.hosts.allSatisfy { $0.disconnection == nil })
    }

    @Test("Two links with the same anchors alternate")
    func sameInstants() throws {
        let harness = try LinkHarness(hosts: 3)
        let links = try [1, 2].map { try harness.connect($0, 0, .milliseconds(7.5)) }
        #expect(harness[links[0]]?.anchor == harness[links[1]]?.anchor)
        harness.world.run(for: .seconds(30))
        #expect(harness.hosts.allSatisfy { $0.disconnection == nil })
        for link in links {
            let last = try #require(harness[link]?.peripheral?.lastReceived)
            #expect(harness.world.now - last < .milliseconds(40))
        }
    }

    @Test("A central keeps the anchors of its links apart")
    func anchorsApart() throws {
        let harness = try LinkHarness(hosts: 9)
        let links = try (1...8).map { try harness.connect(0, $0, .milliseconds(50)) }
        let anchors = try links.map { try #require(harness[$0]).anchor }
        let offsets = anchors.map { ($0 - anchors[0]).nanoseconds % 50_000_000 }.sorted()
        let gaps = zip(offsets.dropFirst(), offsets).map { $0 - $1 }
        #expect(gaps.allSatisfy { $0 >= 5_000_000 }, "\(offsets)")
    }
}
