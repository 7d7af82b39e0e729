// SPDX-License-Identifier: Apache-2.0
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Synchronization
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// Twenty phones at once on one peripheral of ours: as many as its controller can.
@Suite("Twenty centrals on one server, in virtual time")
struct CrowdTests {
    static let phoneCount = 20

    /// A value of 20 octets that begins with its number.
    private static func value(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            + [UInt8](repeating: 0x5A, count: 16)
    }

    @Test("all get every notification of a slow stream", arguments: [1, 2] as [UInt64])
    func slowStream(seed: UInt64) async throws {
        let crowd = try Crowd(seed: seed, phoneCount: Self.phoneCount)
        let count = 60
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

    /// What every phone gets of an equal share, at least, when all are sent as much as the air
    /// takes. Equal they are not: whose events come just before another's are cut short.
    private static let guaranteedShare = 0.5

    @Test("none starves in a fast stream", arguments: [1, 2] as [UInt64])
    func fastStream(seed: UInt64) async throws {
        let crowd = try Crowd(seed: seed, phoneCount: Self.phoneCount)
        let air = crowd.air
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
                try await air.sleep(for: .seconds(5))
                tally.reset()
                try await air.sleep(for: .seconds(20))
                group.cancelAll()
            }
            return tally.counts
        }
        let equal = Double(counts.reduce(0, +)) / Double(counts.count)
        let least = Double(try #require(counts.min())) / equal
        #expect(least > Self.guaranteedShare, "\(counts)")
    }

    @Test("those who leave in the middle take nothing from those who stay, and may come back")
    func leaving() async throws {
        let crowd = try Crowd(seed: 3, phoneCount: Self.phoneCount)
        let count = 40
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
                        // Whoever leaves just now is not served.
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
        }
    }

    @Test("what one does not take is held up to a limit, and costs the others nothing")
    func deafPhone() async throws {
        let crowd = try Crowd(seed: 4, phoneCount: 3)
        let air = crowd.air
        try await crowd.run(bound: .seconds(600)) { server, phones in
            let listeners = try await Self.listeners(phones)
            let deaf = try #require(await server.subscribers().first)
            air.world.setLoss(LossPlan(constantLoss: 1), at: crowd.phones[0])
            var accepted = 0
            while try await deaf.tryNotify(Self.value(accepted), of: server.stream) {
                accepted += 1
                try #require(accepted < 200, "more is held than any limit says")
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

    /// How many values each phone has had.
    private final class Tally: Sendable {
        private let state: Mutex<[Int]>

        init(count: Int) { state = Mutex([Int](repeating: 0, count: count)) }

        var counts: [Int] { state.withLock { $0 } }

        func reset() {
            state.withLock { $0 = [Int](repeating: 0, count: $0.count) }
        }

        /// Counts until the task is cancelled; values must come in order.
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
