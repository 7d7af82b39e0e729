// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// One of the 40 physical channels of 2 MHz (Vol 6, Part B, 1.4.1), identified by its Link Layer
/// channel index: 0 to 36 for data, 37 to 39 for primary advertising.
package struct RadioChannel: Hashable, Sendable {
    /// The number of channels.
    package static let count = 40
    /// The three primary advertising channels, in the order in which they are used.
    package static let primaryAdvertising = [37, 38, 39].map { RadioChannel(unchecked: $0) }

    /// The channel index, 0 to 39.
    package let index: Int

    /// Creates the channel of the index; `nil` if the index is not in 0 to 39.
    package init?(_ index: Int) {
        guard (0..<Self.count).contains(index) else { return nil }
        self.index = index
    }

    private init(unchecked index: Int) {
        self.index = index
    }
}

/// A packet on the air: its sender, its channel and its time.
package struct Transmission: Hashable, Sendable {
    /// The radio that sends the packet.
    package let sender: RadioID
    /// The channel that the packet occupies.
    package let channel: RadioChannel
    /// The instant at which the first bit begins.
    package let start: Instant
    /// The instant at which the last bit ends.
    package let end: Instant
    /// The reduction of the packet's power below the transmit power of the sender's station, in
    /// decibels.
    package let reduction: Int16

    /// Creates a packet that is on the air from `start` for `airTime`.
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

    /// Creates a packet that is on the air from `start` to `end`, in nanoseconds. `end` must not be
    /// earlier than `start`.
    init(from sender: RadioID, on channel: RadioChannel, from start: Int64, to end: Int64) {
        self.sender = sender
        self.channel = channel
        self.start = Instant(nanoseconds: start)
        self.end = Instant(nanoseconds: end)
        reduction = 0
    }

    /// Returns whether both packets are on the same channel at the same time. A packet that begins
    /// when the other ends does not overlap it.
    package func overlaps(_ other: Transmission) -> Bool {
        channel == other.channel && start < other.end && other.start < end
    }
}
