// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// A router that delivers the values that peers send to the streams that subscribed to them.
struct NotificationRouter {
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

    private var streams: [Key: [UInt64: NotificationBuffer]] = [:]
    private var lastStream: UInt64 = 0
    /// The streams with waiting readers for which values have arrived.
    private var awaited: [NotificationBuffer] = []

    /// Returns the identity of a new stream.
    mutating func makeSubscription(for key: Key) -> Subscription {
        lastStream += 1
        return Subscription(key: key, number: lastStream)
    }

    mutating func add(_ stream: NotificationBuffer, as subscription: Subscription) {
        streams[subscription.key, default: [:]][subscription.number] = stream
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
        for subscriber in subscribers.values {
            switch subscriber.append(value) {
            case .kept: break
            case .awaited: awaited.append(subscriber)
            case .dropped: subscriber.finish(throwing: HostError.notificationsOverflowed)
            }
        }
    }

    /// Wakes the readers of the values that have arrived.
    mutating func wakeReaders() {
        guard !awaited.isEmpty else { return }
        for stream in awaited { stream.wake() }
        awaited.removeAll(keepingCapacity: true)
    }

    /// Ends the streams of a link that has ended.
    mutating func end(_ link: LinkIdentifier, with error: HostError) {
        for (key, subscribers) in streams where key.link == link {
            for subscriber in subscribers.values { subscriber.finish(throwing: error) }
            streams[key] = nil
        }
    }
}
