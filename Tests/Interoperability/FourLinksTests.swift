// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization
import Testing

/// Four accessories, each of which streams as fast as its controller allows.
@Suite(.needsPeers) struct FourLinksTests {
    static let linkCount = 4
    static let valueCount = 1000

    @Test(
        "Four links deliver their streams completely at the same time",
        arguments: ControllerKind.available
    )
    func fourStreams(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, accessoryLimit: Self.linkCount) { fixture in
            let links = try await links(in: fixture)
            let progress = Progress()
            try await withThrowingTaskGroup(of: Void.self) { readers in
                for (place, link) in links.enumerated() {
                    let values = try await link.subscribe(to: link.find(Demo.uuid(0x21)))
                    readers.addTask {
                        try await read(values, at: place, progress)
                    }
                }
                progress.begin()
                try await readers.waitForAll()
            }
        }
    }

    private func links(in fixture: HostFixture) async throws -> [Link] {
        var links: [Link] = []
        for place in 0..<Self.linkCount {
            _ = try await fixture.accessory(.stream, at: place, options: ["--size", "100"])
            links.append(try await fixture.connect(at: place))
        }
        return links
    }

    private func read(
        _ values: SubscriptionTests.Values,
        at place: Int,
        _ progress: Progress
    ) async throws {
        let counters = try await within(.seconds(300), "\(Self.valueCount) values of \(place)") {
            var counters: [Int] = []
            for try await value in values {
                counters.append(value.littleEndianValue)
                // Each stream continues until all have their values, so that every link competes
                // with all others.
                if progress.received(at: place) { break }
            }
            return counters
        }
        #expect(counters == Array(0..<counters.count), "link \(place)")
        #expect(counters.count >= Self.valueCount)
    }

    /// The progress of each stream, from the moment when all are subscribed.
    private final class Progress: Sendable {
        private struct State {
            var hasBegun = false
            var counts = [Int](repeating: 0, count: linkCount)
        }

        private let state = Mutex(State())

        /// Records that all streams are subscribed.
        func begin() { state.withLock { $0.hasBegun = true } }

        /// Counts a value. Returns whether every stream has enough.
        func received(at place: Int) -> Bool {
            state.withLock { state in
                guard state.hasBegun else { return false }
                state.counts[place] += 1
                return state.counts.allSatisfy { $0 >= valueCount }
            }
        }
    }
}
