// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The packets of one channel, in the order of their starts.
///
/// The oldest packet is at `first`. Earlier elements are forgotten, and are removed when they are
/// more than half of the array, so forgetting costs O(1) for each packet. The search for overlaps
/// goes backward from the latest packet, as far as the longest packet of the channel can reach.
/// Times are in nanoseconds, because arithmetic of `Duration` has 128 bits.
struct ChannelLog: Sendable {
    private var transmissions: [Transmission] = []
    private var first = 0
    private var longest: Int64 = 0
    /// The end of the packet that ends last.
    private var lastEnd: Int64 = .min
    private static let retention = Air.retention.nanoseconds

    /// The number of packets that were forgotten because of `Air.transmissionLimit`.
    private(set) var forgottenCount = 0

    /// The number of packets that are remembered.
    var count: Int { transmissions.count - first }

    /// Adds the packet, and forgets packets that no longer matter.
    mutating func append(_ transmission: Transmission) {
        var place = transmissions.count
        while place > first, transmissions[place - 1].start > transmission.start { place -= 1 }
        transmissions.insert(transmission, at: place)
        longest = max(longest, transmission.end.nanoseconds - transmission.start.nanoseconds)
        lastEnd = max(lastEnd, transmission.end.nanoseconds)
        forget()
    }

    /// Returns whether every packet so far ends at the instant or before.
    func isQuiet(from instant: Instant) -> Bool { lastEnd <= instant.nanoseconds }

    /// Calls `visit` with each packet of another sender that overlaps this one, the latest first.
    func forEachOverlapping(_ wanted: Transmission, _ visit: (Transmission) -> Void) {
        var place = transmissions.count
        while place > first {
            place -= 1
            let other = transmissions[place]
            guard other.start.nanoseconds > wanted.start.nanoseconds - longest else { return }
            if other.sender != wanted.sender, other.overlaps(wanted) { visit(other) }
        }
    }

    /// Returns the end of the last packet that begins at exactly `start`; `nil` if no packet does.
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
        let horizon = latest - Self.retention
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
