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
    /// The maximum number of stored reservations: one ahead of each link, and those of
    /// the recent past. Beyond it the oldest is dropped.
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

    private var reservations: [Reservation] = []

    /// Creates the schedule of a radio without reservations.
    package init() {}

    /// Returns whether the radio has no reservation in that time, other than those of the link.
    package func isFree(from start: Instant, to end: Instant, for link: LinkID? = nil) -> Bool {
        for reservation in reservations where reservation.conflicts(from: start, to: end, of: link)
        {
            return false
        }
        return true
    }

    /// Reserves the radio for that time.
    ///
    /// - Parameter urgency: Future reservations of other links with less urgency are replaced.
    /// - Returns: False, without any change, if the radio is not free in that time.
    @discardableResult
    package mutating func reserve(
        from start: Instant,
        to end: Instant,
        for link: LinkID? = nil,
        urgency: Int = 0,
        now: Instant
    ) -> Bool {
        var mustClear = false
        for reservation in reservations where reservation.conflicts(from: start, to: end, of: link)
        {
            guard reservation.isReplaceable(by: urgency, now: now) else { return false }
            mustClear = true
        }
        if mustClear {
            reservations.removeAll { $0.conflicts(from: start, to: end, of: link) }
        }
        guard !extend(from: start, to: end, for: link) else { return true }
        forget(before: now)
        reservations.append(
            Reservation(
                start: start.nanoseconds,
                end: end.nanoseconds,
                link: link,
                urgency: urgency
            )
        )
        return true
    }

    /// Releases the reservations of the link from the instant on.
    package mutating func release(_ link: LinkID, from instant: Instant) {
        reservations.removeAll { $0.link == link && $0.start >= instant.nanoseconds }
        for place in reservations.indices where reservations[place].link == link {
            reservations[place].end = min(reservations[place].end, instant.nanoseconds)
        }
    }

    /// Extends a reservation of the same link that ends where the new one starts, or still lasts
    /// then.
    ///
    /// - Returns: False if there is no such reservation.
    private mutating func extend(from start: Instant, to end: Instant, for link: LinkID?) -> Bool {
        guard let link else { return false }
        let place = reservations.lastIndex {
            $0.link == link && $0.start <= start.nanoseconds
                && $0.end + Self.gapLimit >= start.nanoseconds
        }
        guard let place else { return false }
        reservations[place].end = max(reservations[place].end, end.nanoseconds)
        return true
    }

    private mutating func forget(before now: Instant) {
        let horizon = now.nanoseconds - Self.retentionNanoseconds
        reservations.removeAll { $0.end < horizon }
        if reservations.count >= Self.reservationLimit { reservations.removeFirst() }
    }
}
