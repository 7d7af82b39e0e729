// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization
import Testing

/// Four accessories, each streaming as fast as its controller lets it.
@Suite(.needsPeers) struct FourLinksTests {
    static let linkCount = 4
    static let valueCount = 1000

    @Test(arguments: ControllerKind.available)
    func fourStreamsLoseNothingAndStarveNobody(kind: ControllerKind) async throws {
        try await withEncounter(on: kind, accessoryLimit: Self.linkCount) { encounter in
            let links = try await links(in: encounter)
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
            // Whoever was behind all the time was still given its part. How large a part is also
            // up to the system, which gives ten processes their turns on a few cores; in virtual
            // time it is measured exactly (FairnessTests).
            let slowest = try #require(progress.whenFirstFinished.min())
            #expect(slowest > Self.valueCount / 4, "\(progress.whenFirstFinished)")
        }
    }

    private func links(in encounter: Encounter) async throws -> [Link] {
        var links: [Link] = []
        for place in 0..<Self.linkCount {
            _ = try await encounter.accessory(.stream, at: place, options: ["--size", "100"])
            links.append(try await encounter.connect(at: place))
        }
        return links
    }

    private func read(
        _ values: SubscriptionTests.Values,
        at place: Int,
        _ progress: Progress
    ) async throws {
        let counters = try await within(.seconds(60), "\(Self.valueCount) values of \(place)") {
            var counters: [Int] = []
            for try await value in values {
                counters.append(value.littleEndianValue)
                // On until all have had theirs, so that each is held up by all others.
                if progress.received(at: place) { break }
            }
            return counters
        }
        #expect(counters == Array(0..<counters.count), "link \(place)")
        #expect(counters.count >= Self.valueCount)
    }

    /// How far each stream is, from the moment when all of them flow.
    private final class Progress: Sendable {
        private struct State {
            var hasBegun = false
            var counts = [Int](repeating: 0, count: linkCount)
            var whenFirstFinished: [Int] = []
        }

        private let state = Mutex(State())

        /// All counts at the moment when the fastest had what it was waiting for.
        var whenFirstFinished: [Int] { state.withLock { $0.whenFirstFinished } }

        /// All are subscribed.
        func begin() { state.withLock { $0.hasBegun = true } }

        /// Counts a value, and returns whether everybody has enough.
        func received(at place: Int) -> Bool {
            state.withLock { state in
                guard state.hasBegun else { return false }
                state.counts[place] += 1
                if state.counts[place] == valueCount, state.whenFirstFinished.isEmpty {
                    state.whenFirstFinished = state.counts
                }
                return state.counts.allSatisfy { $0 >= valueCount }
            }
        }
    }
}
