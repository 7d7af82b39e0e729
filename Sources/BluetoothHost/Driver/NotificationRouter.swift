// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// A router that delivers the values that peers send to the streams that subscribed to them.
struct NotificationRouter {
    /// One characteristic of one link.
    struct Key: Comparable, Sendable {
        let link: LinkIdentifier
        let handle: AttributeHandle

        static func < (one: Self, other: Self) -> Bool {
            one.link == other.link ? one.handle < other.handle : one.link < other.link
        }
    }

    /// One stream of one characteristic.
    struct Subscription: Sendable {
        let key: Key
        fileprivate let number: UInt64
    }

    /// The streams in the order of their characteristics. A search through them is faster than a
    /// hash, and `deliver` needs it for every value.
    private var streams: [(subscription: Subscription, buffer: NotificationBuffer)] = []
    private var lastStream: UInt64 = 0
    /// The streams with waiting readers for which values have arrived.
    private var awaited: [NotificationBuffer] = []

    /// Returns the identity of a new stream.
    mutating func makeSubscription(for key: Key) -> Subscription {
        lastStream += 1
        return Subscription(key: key, number: lastStream)
    }

    mutating func add(_ stream: NotificationBuffer, as subscription: Subscription) {
        streams.insert((subscription, stream), at: firstIndex(of: subscription.key))
    }

    /// Removes a stream. Returns whether it was the last one of its characteristic.
    mutating func remove(_ subscription: Subscription) -> Bool {
        let first = firstIndex(of: subscription.key)
        let all = streams[first...].prefix { $0.subscription.key == subscription.key }
        guard let index = all.firstIndex(where: { $0.subscription.number == subscription.number })
        else { return false }
        streams.remove(at: index)
        return all.count == 1
    }

    /// Returns the index of the first stream of a characteristic, or the index for a new one.
    private func firstIndex(of key: Key) -> Int {
        var (low, high) = (0, streams.count)
        while low < high {
            let middle = (low + high) / 2
            if streams[middle].subscription.key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Delivers a value to all subscribed streams. If the buffer of a stream is full, the stream
    /// ends with an error, because the application could not notice a missing value.
    mutating func deliver(_ value: ArraySlice<UInt8>, for key: Key) {
        var index = firstIndex(of: key)
        while index < streams.count, streams[index].subscription.key == key {
            let stream = streams[index].buffer
            switch stream.append(value) {
            case .kept: break
            case .awaited: awaited.append(stream)
            case .dropped: stream.finish(throwing: HostError.notificationsOverflowed)
            }
            index += 1
        }
    }

    /// Wakes the readers of the values that have arrived.
    mutating func wakeReaders() {
        guard !awaited.isEmpty else { return }
        // An array removes its last element without a copy.
        awaited.reverse()
        while let stream = awaited.popLast() { stream.wake() }
    }

    /// Ends the streams of a link that has ended.
    mutating func end(_ link: LinkIdentifier, with error: HostError) {
        let ended = streams.filter { $0.subscription.key.link == link }
        streams.removeAll { $0.subscription.key.link == link }
        for stream in ended { stream.buffer.finish(throwing: error) }
    }
}
