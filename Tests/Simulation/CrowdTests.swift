// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import Synchronization
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// Phones that are connected to one peripheral at the same time: twenty, the limit of its
/// controller, in all tests but one.
@Suite("Twenty centrals on one server, in virtual time")
struct CrowdTests {
    static let phoneCount = 20
    /// The number of phones that connect at the same time.
    static let simultaneousPhoneCount = 20

    /// Returns a value of 20 bytes that begins with its number.
    private static func value(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            + [UInt8](repeating: 0x5A, count: 16)
    }

    @Test("All centrals get every notification of a slow stream", arguments: RunSeed.seeds(2))
    func slowStream(seed: UInt64) async throws {
        let crowd = try Crowd(seed: seed, phoneCount: Self.phoneCount)
        let count = 20
        let air = crowd.air
        let received = try await crowd.run(bound: .seconds(600)) { server, phones in
            let listeners = try await Self.listeners(phones)
            return try await withThrowingTaskGroup(of: [Int].self) { readers in
                for listener in listeners {
                    readers.addTask { try await listener.numbers(count) }
                }
                for number in 0..<count {
                    for link in await server.subscribers() {
                        try await link.notify(Self.value(number), of: server.stream)
                    }
                    try await air.sleep(for: .seconds(1))
                }
                return try await readers.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(received == [[Int]](repeating: Array(0..<count), count: Self.phoneCount))
    }

    /// The maximum number of connection events, on average, from one value of a phone to its next
    /// value, when the server sends as much as the radio carries.
    ///
    /// The phones' shares differ: a connection event ends when the event of another link begins, so
    /// some events contain one value, and others contain many. Links whose events overlap take
    /// turns. The 20 links have their events at random instants of an interval of 30 ms. More than
    /// eight of these events overlap less than once in a million runs.
    private static let longestTurn = 8

    @Test("Each central gets its share of a fast stream", arguments: RunSeed.seeds(2))
    func fastStream(seed: UInt64) async throws {
        let crowd = try Crowd(seed: seed, phoneCount: Self.phoneCount)
        let air = crowd.air
        let duration = Duration.seconds(8)
        let counts = try await crowd.run(bound: .seconds(600)) { server, phones in
            let tally = Tally(count: Self.phoneCount)
            let listeners = try await Self.listeners(phones)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, listener) in listeners.enumerated() {
                    group.addTask { try await tally.follow(listener, at: place) }
                }
                for link in await server.subscribers() {
                    group.addTask { try await Self.flood(link, of: server.stream) }
                }
                try await air.sleep(for: .seconds(2))
                tally.reset()
                try await air.sleep(for: duration)
                group.cancelAll()
            }
            return tally.counts
        }
        let events = Int(duration / ConnectParameters().intervalMaximum)
        #expect(try #require(counts.min()) >= events / Self.longestTurn, "\(counts)")
    }

    @Test("Centrals that disconnect do not affect the others and can connect again")
    func leaving() async throws {
        let crowd = try Crowd(seed: 3, phoneCount: Self.phoneCount)
        let count = 25
        let air = crowd.air
        try await crowd.run(bound: .seconds(600)) { server, phones in
            let listeners = try await Self.listeners(phones)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for listener in listeners.dropFirst(5) {
                    group.addTask {
                        let numbers = try await listener.numbers(count)
                        #expect(numbers == Array(0..<count))
                    }
                }
                for number in 0..<count {
                    if number % 5 == 2, number / 5 < 5 {
                        try await listeners[number / 5].link.disconnect()
                    }
                    for link in await server.subscribers() {
                        // A link that ends at this moment gets no value.
                        try? await link.notify(Self.value(number), of: server.stream)
                    }
                    try await air.sleep(for: .seconds(1))
                }
                try await group.waitForAll()
            }
            #expect(await server.subscribers().count == Self.phoneCount - 5)
            let back = try await Self.listeners(Array(phones.prefix(5)))
            #expect(back.count == 5)
            #expect(await server.subscribers().count == Self.phoneCount)
            // In a release build a stream is released after its last use, which ends its
            // subscription.
            withExtendedLifetime((listeners, back)) {}
        }
    }

    @Test("Values for an unreachable central are limited and do not delay the others")
    func unreachableCentral() async throws {
        let crowd = try Crowd(seed: 4, phoneCount: 3)
        let air = crowd.air
        try await crowd.run(bound: .seconds(600)) { server, phones in
            let listeners = try await Self.listeners(phones)
            let unreachable = try #require(await server.subscribers().first)
            air.world.setLoss(LossPlan(constantLoss: 1), at: crowd.phones[0])
            var accepted = 0
            while try await unreachable.tryNotify(Self.value(accepted), of: server.stream) {
                accepted += 1
                try #require(accepted < 200, "the server holds more values than its limit")
            }
            let rest = Task(executorPreference: air.executor.taskExecutor) {
                try await listeners[1].numbers(100)
            }
            for number in 0..<100 {
                try await server.subscribers()[1].notify(Self.value(number), of: server.stream)
            }
            #expect(try await rest.value == Array(0..<100))
        }
    }

    /// Initiators that receive the same advertisement answer it at the same time. Their requests
    /// collide, and the peripheral accepts at most one of them. The other hosts have links that
    /// fail to be established (0x3E), and must not try again at the same time.
    @Test("All phones connect at the same time", arguments: 1...4 as ClosedRange<UInt64>)
    func rush(seed: UInt64) async throws {
        let crowd = try Crowd(seed: seed, phoneCount: Self.simultaneousPhoneCount)
        let addresses = try await crowd.run(bound: .seconds(60)) { server, phones in
            try await withThrowingTaskGroup(of: Link.self) { group in
                for phone in phones {
                    group.addTask { try await phone.connect(to: Crowd.address) }
                }
                for try await _ in group {}
            }
            return await server.host.links.map(\.address.value).sorted()
        }
        #expect(
            addresses == (0..<Self.simultaneousPhoneCount).map { Crowd.address(ofPhone: $0).value }
        )
    }

    // MARK: The phones and the stream

    private static func listeners(_ phones: [BluetoothHost]) async throws -> [Listener] {
        var listeners: [Listener] = []
        for phone in phones { listeners.append(try await Listener(phone)) }
        return listeners
    }

    private static func flood(_ link: Link, of handle: AttributeHandle) async throws {
        var number = 0
        while !Task.isCancelled {
            try await link.notify(value(number), of: handle)
            number += 1
        }
    }

    /// The number of values that each phone has received.
    private final class Tally: Sendable {
        private let state: Mutex<[Int]>

        init(count: Int) { state = Mutex([Int](repeating: 0, count: count)) }

        var counts: [Int] { state.withLock { $0 } }

        func reset() {
            state.withLock { $0 = [Int](repeating: 0, count: $0.count) }
        }

        /// Counts the values until the task is canceled. The values must arrive in order.
        func follow(_ listener: Listener, at place: Int) async throws {
            var expected = 0
            for try await value in listener.values {
                #expect(value == CrowdTests.value(expected))
                expected += 1
                state.withLock { $0[place] += 1 }
            }
        }
    }
}
