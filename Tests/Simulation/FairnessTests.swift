// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import Synchronization
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// Four accessories that send to one phone as fast as their controllers allow.
@Suite("Four streams to one phone, in virtual time")
struct FairnessTests {
    private static let linkCount = 4
    private static let valueCount = 500

    /// The number of values of each link that have arrived.
    private final class Progress: Sendable {
        private let counts = Mutex([Int](repeating: 0, count: linkCount))

        /// Counts a value of the link. Returns all counts.
        func add(_ place: Int) -> [Int] {
            counts.withLock { counts in
                counts[place] += 1
                return counts
            }
        }
    }

    @Test("Four streams lose no value, and each gets its share")
    func fairness() async throws {
        let air = SimulatedAir(seed: 11)
        let phone = try air.addAdapter(ControllerConfiguration(name: "phone"))
        for number in 0..<Self.linkCount {
            let place = Path(Position(x: 2, y: Double(number)))
            let id = try air.world.addController(
                ControllerConfiguration(name: "\(number)", path: place)
            )
            air.world.attach(SimpleAccessory(.demo(name: "Demo \(number)")), to: id)
        }
        // The counts at the moment when the fastest stream is complete.
        let counts = try await air.run(bound: .seconds(120)) {
            let host = BluetoothHost(transport: phone, executor: air.executor)
            try await host.start()
            let counts = try await Self.race(host)
            await host.shutdown()
            return counts
        }
        // The shares are not equal: a link sends until the connection event of another link begins,
        // so the link with the most time before the next anchor sends most.
        let slowest = try #require(counts.min())
        #expect(slowest > Self.valueCount / 2, "\(counts)")
    }

    private static func race(_ host: BluetoothHost) async throws -> [Int] {
        var links: [Link] = []
        for number in 0..<linkCount {
            let filter = ScanFilter(name: "Demo \(number)")
            for try await found in host.scan(for: filter) {
                links.append(try await host.connect(to: found.address))
                break
            }
        }
        let progress = Progress()
        return try await withThrowingTaskGroup(of: [Int].self) { group in
            for (place, link) in links.enumerated() {
                group.addTask { try await stream(link, at: place, progress) }
            }
            let counts = try await group.next() ?? []
            group.cancelAll()
            return counts
        }
    }

    /// Makes the accessory send more values than the test awaits, and counts them.
    private static func stream(
        _ link: Link,
        at place: Int,
        _ progress: Progress
    ) async throws -> [Int] {
        let found = try await link.allCharacteristics()
        let values = try await link.subscribe(to: #require(found[Demo.burst]))
        try await link.write([1, 0xFF, 0xFF, 100, 0], to: #require(found[Demo.control]))
        var expected: UInt8 = 0
        for try await value in values {
            #expect(value.count == 100 && value[0] == expected)
            expected &+= 1
            let counts = progress.add(place)
            if counts[place] == valueCount { return counts }
        }
        return []
    }
}
