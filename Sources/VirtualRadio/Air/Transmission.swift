// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// One of the 40 physical channels, 2 MHz each (Vol 6, Part B, 1.4.1), by the index that the Link
/// Layer gives it: 0 to 36 for data, 37 to 39 for primary advertising.
package struct RadioChannel: Hashable, Sendable {
    /// How many there are.
    package static let count = 40
    /// The three channels of primary advertising, in the order in which they are used.
    package static let primaryAdvertising = [37, 38, 39].map { RadioChannel(unchecked: $0) }

    /// The index, 0 to 39.
    package let index: Int

    /// The channel of the index; nil if there is none.
    package init?(_ index: Int) {
        guard (0..<Self.count).contains(index) else { return nil }
        self.index = index
    }

    private init(unchecked index: Int) {
        self.index = index
    }
}

/// A packet in flight: who occupies which channel from when to when.
package struct Transmission: Hashable, Sendable {
    /// Who sends it.
    package let sender: RadioID
    /// On which channel.
    package let channel: RadioChannel
    /// When its first bit is on the air.
    package let start: Instant
    /// When its last bit has been.
    package let end: Instant
    /// By how many decibels it is weaker than its sender's station otherwise sends.
    package let reduction: Int16

    /// The packet that is on the air from `start` for `airTime`.
    package init(
        from sender: RadioID,
        on channel: RadioChannel,
        start: Instant,
        airTime: Duration,
        reduction: Int16 = 0
    ) {
        self.sender = sender
        self.channel = channel
        self.start = start
        self.reduction = reduction
        end = start + max(.zero, airTime)
    }

    /// The packet that is on the air from one instant to another, in nanoseconds, which is no
    /// earlier.
    init(from sender: RadioID, on channel: RadioChannel, from start: Int64, to end: Int64) {
        self.sender = sender
        self.channel = channel
        self.start = Instant(nanoseconds: start)
        self.end = Instant(nanoseconds: end)
        reduction = 0
    }

    /// Whether both are on the same channel at the same time. One that begins when the other ends
    /// is not.
    package func overlaps(_ other: Transmission) -> Bool {
        channel == other.channel && start < other.end && other.start < end
    }
}
