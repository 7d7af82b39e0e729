// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("The streams of the values that peers send")
struct NotificationRouterTests {
    private let keys = (0..<12).map { number in
        NotificationRouter.Key(
            link: LinkIdentifier(rawValue: UInt64(number % 3)),
            handle: AttributeHandle(UInt16(10 + number / 3))
        )
    }

    /// Returns the values that a stream has, and closes it.
    private func values(of stream: NotificationBuffer) async throws -> [[UInt8]] {
        stream.close()
        var values: [[UInt8]] = []
        while let value = try await stream.next(isolation: nil) { values.append(value) }
        return values
    }

    @Test("A value reaches every stream of its characteristic, and no other stream")
    func delivery() async throws {
        var router = NotificationRouter()
        let streams = (keys + keys.reversed()).map { key in
            let stream = NotificationBuffer(limit: 8) {}
            router.add(stream, as: router.makeSubscription(for: key))
            return (key: key, stream: stream)
        }
        for (number, key) in keys.enumerated() { router.deliver([UInt8(number)], for: key) }
        for (key, stream) in streams {
            let number = try #require(keys.firstIndex(of: key))
            #expect(try await values(of: stream) == [[UInt8(number)]])
        }
    }

    @Test("The last stream of a characteristic is known when it is removed")
    func removal() {
        var router = NotificationRouter()
        let subscriptions = (keys + keys).map { key in
            let subscription = router.makeSubscription(for: key)
            router.add(NotificationBuffer(limit: 8) {}, as: subscription)
            return subscription
        }
        #expect(subscriptions.prefix(keys.count).allSatisfy { !router.remove($0) })
        #expect(subscriptions.suffix(keys.count).allSatisfy { router.remove($0) })
        #expect(subscriptions.allSatisfy { !router.remove($0) })
    }

    @Test("The end of a link ends its streams, and no others")
    func end() async throws {
        var router = NotificationRouter()
        let streams = keys.map { key in
            let stream = NotificationBuffer(limit: 8) {}
            router.add(stream, as: router.makeSubscription(for: key))
            return (key: key, stream: stream)
        }
        router.end(LinkIdentifier(rawValue: 1), with: .closed)
        for key in keys { router.deliver([1], for: key) }
        for (key, stream) in streams {
            if key.link.rawValue == 1 {
                await #expect(throws: HostError.closed) {
                    try await stream.next(isolation: nil)
                }
            } else {
                #expect(try await values(of: stream) == [[1]])
            }
        }
    }
}
