// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The times for which one radio is reserved, in the recent past and the near future. A radio does
/// one thing at a time.
///
/// A part that is about to send, or to listen for an expected packet, reserves the radio for that
/// time. Scanning uses the remaining time, so a scanner only checks whether the radio was free. A
/// connection event reserves the radio in advance from its anchor to the end of its first exchange,
/// and then for each further exchange.
///
/// Every activity of a radio calls this type, so it computes in nanoseconds: arithmetic of
/// `Duration` has 128 bits.
package struct RadioSchedule: Sendable {
    /// The maximum number of stored reservations: one ahead for each link, and those of the recent
    /// past. If there are more, the oldest is dropped.
    package static let reservationLimit = 2_048
    /// The time for which a reservation is stored after its end. It is longer than the air time
    /// of the longest packet.
    package static let retention = Duration.milliseconds(20)

    private static let retentionNanoseconds = retention.nanoseconds
    /// The largest gap between two reservations of one link that are stored as one: the frame
    /// space between two exchanges.
    private static let gapLimit = FrameSpace.betweenFrames.nanoseconds

    private struct Reservation: Sendable {
        let start: Int64
        var end: Int64
        let link: LinkID?
        let urgency: Int

        func conflicts(from start: Instant, to end: Instant, of link: LinkID?) -> Bool {
            self.start < end.nanoseconds && self.end > start.nanoseconds
                && (link == nil || self.link != link)
        }

        /// Returns whether a more urgent reservation replaces this one: it belongs to a link and
        /// has not begun.
        func isReplaceable(by urgency: Int, now: Instant) -> Bool {
            link != nil && self.urgency < urgency && start > now.nanoseconds
        }
    }

    /// The reservations, in the order of their starts. Those before `first` are forgotten, and are
    /// removed when they are more than half of the array. A radio with many links has a reservation
    /// far ahead for each link, so a search covers only the reservations near its time.
    private var reservations: [Reservation] = []
    private var first = 0
    /// The length of the longest reservation since the last removal of forgotten ones, or a greater
    /// length.
    private var longest: Int64 = 0
    /// For each link, an instant after which no reservation of the link starts.
    private var latestStarts: [LinkID: Int64] = [:]

    /// Creates the schedule of a radio without reservations.
    package init() {}

    /// Returns whether the radio has no reservation in that time, other than those of the link.
    package func isFree(from start: Instant, to end: Instant, for link: LinkID? = nil) -> Bool {
        for index in indices(from: start.nanoseconds, to: end.nanoseconds)
        where reservations[index].conflicts(from: start, to: end, of: link) {
            return false
        }
        return true
    }

    /// Reserves the radio for that time.
    ///
    /// - Parameter urgency: Future reservations of other links with less urgency are replaced.
    /// - Returns: `false`, without any change, if the radio is not free in that time.
    @discardableResult
    package mutating func reserve(
        from start: Instant,
        to end: Instant,
        for link: LinkID? = nil,
        urgency: Int = 0,
        now: Instant
    ) -> Bool {
        forget(before: now)
        var mustClear = false
        var place = index(ofStart: end.nanoseconds)
        let indices = indices(from: start.nanoseconds, before: place)
        for index in indices
        where reservations[index].conflicts(from: start, to: end, of: link) {
            guard reservations[index].isReplaceable(by: urgency, now: now) else { return false }
            mustClear = true
        }
        if mustClear {
            for index in indices.reversed()
            where reservations[index].conflicts(from: start, to: end, of: link) {
                reservations.remove(at: index)
                place -= 1
            }
        }
        while place > first, reservations[place - 1].start > start.nanoseconds { place -= 1 }
        guard !extend(from: start, to: end, for: link, before: place) else { return true }
        let reservation = Reservation(
            start: start.nanoseconds,
            end: end.nanoseconds,
            link: link,
            urgency: urgency
        )
        reservations.insert(reservation, at: place)
        longest = max(longest, reservation.end - reservation.start)
        if let link {
            latestStarts[link, default: reservation.start].raise(to: reservation.start)
        }
        return true
    }

    /// Releases all reservations of a link that has ended, from the instant on, and forgets the
    /// link.
    package mutating func releaseAll(of link: LinkID, from instant: Instant) {
        release(link, from: instant)
        latestStarts[link] = nil
    }

    /// Releases the reservations of the link from the instant on.
    package mutating func release(_ link: LinkID, from instant: Instant) {
        let instant = instant.nanoseconds
        for index in indices(from: instant, to: instant) where reservations[index].link == link {
            reservations[index].end = min(reservations[index].end, instant)
        }
        guard let last = reservations.last, last.start >= instant,
            let latest = latestStarts[link], latest >= instant
        else { return }
        latestStarts[link] = nil
        for index in (index(ofStart: instant)..<reservations.count).reversed()
        where reservations[index].link == link {
            reservations.remove(at: index)
        }
    }

    /// Extends the last reservation of the same link, if it ends at most `gapLimit` before the new
    /// one starts, or still lasts at that time.
    ///
    /// - Parameter place: The index of the first reservation that begins after the new one.
    /// - Returns: `false` if there is no such reservation.
    private mutating func extend(
        from start: Instant,
        to end: Instant,
        for link: LinkID?,
        before place: Int
    ) -> Bool {
        guard let link else { return false }
        let (start, end) = (start.nanoseconds, end.nanoseconds)
        let index = indices(from: start - Self.gapLimit, before: place).last {
            reservations[$0].link == link && reservations[$0].end + Self.gapLimit >= start
        }
        guard let index else { return false }
        reservations[index].end = max(reservations[index].end, end)
        longest = max(longest, reservations[index].end - reservations[index].start)
        return true
    }

    private mutating func forget(before now: Instant) {
        let horizon = now.nanoseconds - Self.retentionNanoseconds
        while first < reservations.count, reservations[first].end < horizon { first += 1 }
        if reservations.count - first >= Self.reservationLimit { first += 1 }
        guard first > reservations.count / 2 else { return }
        reservations.removeFirst(first)
        first = 0
        longest = reservations.reduce(0) { max($0, $1.end - $1.start) }
    }

    /// Returns the indices of all reservations that begin before `end` and may last beyond `start`.
    private func indices(from start: Int64, to end: Int64) -> Range<Int> {
        indices(from: start, before: index(ofStart: end))
    }

    /// Returns the indices of all reservations before the index `upper` that may last beyond
    /// `start`.
    private func indices(from start: Int64, before upper: Int) -> Range<Int> {
        var lower = upper
        while lower > first, reservations[lower - 1].start >= start - longest { lower -= 1 }
        return lower..<upper
    }

    /// Returns the index of the first reservation that does not begin before `start`.
    private func index(ofStart start: Int64) -> Int {
        var (low, high) = (first, reservations.count)
        while low < high {
            let middle = (low + high) / 2
            if reservations[middle].start < start { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Int64 {
    fileprivate mutating func raise(to other: Int64) { self = Swift.max(self, other) }
}
