// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Several links of one controller")
struct LinkSharingTests {
    /// How many bytes each of the links has received after a while, with all links saturated.
    private func shares(
        _ bench: LinkBench,
        _ links: [LinkID],
        from side: LinkSide = .peripheral
    ) throws -> [Int] {
        for link in links {
            bench.tune(link, .le1M)
            let radio = try #require(bench[link]?[side]?.radio)
            bench.hosts[radio.index].stream(
                [UInt8](repeating: 1, count: 200),
                on: try bench.handle(link, side)
            )
        }
        bench.world.run(for: .seconds(1))
        for host in bench.hosts { host.forget() }
        bench.world.run(for: .seconds(10))
        return try links.map { link in
            let radio = try #require(bench[link]?[side.other]?.radio)
            return bench.hosts[radio.index].octets(try bench.handle(link, side.other)).count
        }
    }

    @Test("The links of a Central share its time", arguments: [2, 4, 8])
    func central(count: Int) throws {
        let bench = try LinkBench(hosts: count + 1)
        let links = try (1...count).map { try bench.connect(0, $0, .milliseconds(50)) }
        let shares = try shares(bench, links)
        let total = shares.reduce(0, +)
        let least = try #require(shares.min())
        #expect(Double(least) > 0.6 * Double(total) / Double(count))
        // One link alone would have 24 exchanges of 200 bytes in 50 ms.
        #expect(Double(total) > 0.8 * 24 * 200 * 200)
        #expect(bench.hosts.allSatisfy { $0.disconnection == nil })
    }

    @Test("Links of different intervals all get their turn")
    func differentIntervals() throws {
        let bench = try LinkBench(hosts: 6)
        let intervals = [7.5, 11.25, 20, 31.25, 48.75]
        let links = try intervals.enumerated().map { number, interval in
            try bench.connect(0, number + 1, .milliseconds(interval, timeout: .seconds(4)))
        }
        let shares = try shares(bench, links)
        #expect(shares.allSatisfy { $0 > 20_000 }, "\(shares)")
        #expect(bench.hosts.allSatisfy { $0.disconnection == nil })
    }

    @Test("A Peripheral of independent Centrals serves all of them", arguments: 1...8)
    func severalCentrals(step: Int64) throws {
        let bench = try LinkBench(hosts: 4)
        var links: [LinkID] = []
        for central in 1...3 {
            links.append(try bench.connect(central, 0, .milliseconds(30)))
            bench.world.run(for: .milliseconds(30) + .microseconds(step * 300))
        }
        let shares = try shares(bench, links, from: .central)
        // The link whose anchor is just before another's has one exchange of 200 bytes in every
        // second event of the 333, and no less.
        #expect(shares.allSatisfy { $0 > 30_000 }, "\(shares)")
        #expect(bench.hosts.allSatisfy { $0.disconnection == nil })
    }

    @Test("Two links with the same instants alternate")
    func sameInstants() throws {
        let bench = try LinkBench(hosts: 3)
        let links = try [1, 2].map { try bench.connect($0, 0, .milliseconds(7.5)) }
        #expect(bench[links[0]]?.anchor == bench[links[1]]?.anchor)
        bench.world.run(for: .seconds(30))
        #expect(bench.hosts.allSatisfy { $0.disconnection == nil })
        for link in links {
            let last = try #require(bench[link]?.peripheral?.lastHeard)
            #expect(bench.world.now - last < .milliseconds(40))
        }
    }

    @Test("A Central keeps the anchors of its links apart")
    func anchorsApart() throws {
        let bench = try LinkBench(hosts: 9)
        let links = try (1...8).map { try bench.connect(0, $0, .milliseconds(50)) }
        let anchors = try links.map { try #require(bench[$0]).anchor }
        let offsets = anchors.map { ($0 - anchors[0]).nanoseconds % 50_000_000 }.sorted()
        let gaps = zip(offsets.dropFirst(), offsets).map { $0 - $1 }
        #expect(gaps.allSatisfy { $0 >= 5_000_000 }, "\(offsets)")
    }
}
