// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Delivers the values that peers send to the streams that subscribed to them.
struct NotificationRouter {
    typealias Stream = AsyncThrowingStream<[UInt8], any Error>

    /// One characteristic of one link.
    struct Key: Hashable, Sendable {
        let link: LinkIdentifier
        let handle: AttributeHandle
    }

    /// One stream of one characteristic.
    struct Subscription: Sendable {
        let key: Key
        fileprivate let number: UInt64
    }

    private var streams: [Key: [UInt64: Stream.Continuation]] = [:]
    private var lastStream: UInt64 = 0

    mutating func add(_ stream: Stream.Continuation, for key: Key) -> Subscription {
        lastStream += 1
        streams[key, default: [:]][lastStream] = stream
        return Subscription(key: key, number: lastStream)
    }

    /// Removes a stream. Returns whether it was the last one of its characteristic.
    mutating func remove(_ subscription: Subscription) -> Bool {
        let key = subscription.key
        guard streams[key]?.removeValue(forKey: subscription.number) != nil,
            streams[key]?.isEmpty == true
        else { return false }
        streams[key] = nil
        return true
    }

    /// Delivers a value to all subscribed streams. If the buffer of a stream is full, the stream
    /// ends with an error, because the application could not notice a missing value.
    mutating func deliver(_ value: ArraySlice<UInt8>, for key: Key) {
        guard let subscribers = streams[key] else { return }
        let value = [UInt8](value)
        for subscriber in subscribers.values {
            if case .dropped = subscriber.yield(value) {
                subscriber.finish(throwing: HostError.notificationsOverflowed)
            }
        }
    }

    /// Ends the streams of a link that has ended.
    mutating func end(_ link: LinkIdentifier, with error: HostError) {
        for (key, subscribers) in streams where key.link == link {
            for subscriber in subscribers.values { subscriber.finish(throwing: error) }
            streams[key] = nil
        }
    }
}
