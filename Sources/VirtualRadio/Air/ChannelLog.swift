// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The packets of one channel, in the order of their starts.
///
/// The oldest is at `first`; what is before that is forgotten, and is cleared away when it is half
/// of the array, so that forgetting costs O(1) for each packet. Looking for overlaps goes from the
/// latest backwards, and no further than the longest packet seen on the channel may reach. Both are
/// done for every packet of a world, so they count in nanoseconds: arithmetic of `Duration` has 128
/// bits.
struct ChannelLog: Sendable {
    private var transmissions: [Transmission] = []
    private var first = 0
    private var longest: Int64 = 0
    private static let memory = Air.memory.nanoseconds

    /// How many packets were forgotten because there were too many.
    private(set) var forgottenCount = 0

    /// How many packets are remembered.
    var count: Int { transmissions.count - first }

    /// Remembers the packet, and forgets what can matter no more.
    mutating func append(_ transmission: Transmission) {
        var place = transmissions.count
        while place > first, transmissions[place - 1].start > transmission.start { place -= 1 }
        transmissions.insert(transmission, at: place)
        longest = max(longest, transmission.end.nanoseconds - transmission.start.nanoseconds)
        forget()
    }

    /// Shows `visit` the packets of other senders that overlap with this one, the latest first.
    func forEachOverlapping(_ wanted: Transmission, _ visit: (Transmission) -> Void) {
        var place = transmissions.count
        while place > first {
            place -= 1
            let other = transmissions[place]
            guard other.start.nanoseconds > wanted.start.nanoseconds - longest else { return }
            if other.sender != wanted.sender, other.overlaps(wanted) { visit(other) }
        }
    }

    /// When the last of the packets ends that begin at the instant; nil if none does.
    func end(ofPacketsFrom start: Instant) -> Instant? {
        var latest: Instant?
        var place = transmissions.count
        while place > first, transmissions[place - 1].start >= start {
            place -= 1
            guard transmissions[place].start == start else { continue }
            latest = max(latest ?? start, transmissions[place].end)
        }
        return latest
    }

    private mutating func forget() {
        guard let latest = transmissions.last?.start.nanoseconds else { return }
        let horizon = latest - Self.memory
        while first < transmissions.count, transmissions[first].end.nanoseconds < horizon {
            first += 1
        }
        if count > Air.transmissionLimit {
            first += 1
            forgottenCount += 1
        }
        guard first > transmissions.count / 2 else { return }
        transmissions.removeFirst(first)
        first = 0
    }
}
