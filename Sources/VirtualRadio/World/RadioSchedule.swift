// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The times at which one radio is engaged, in the recent past and the near future. A radio does
/// one thing at a time.
///
/// A part that is about to send, or to listen for an expected packet, engages the radio for that
/// time. Scanning uses the remaining time, so a scanner only checks whether the radio was free. A
/// connection event engages the radio in advance from its anchor to the end of its first exchange,
/// and then for each further exchange.
///
/// Every activity of a radio calls this type, so it computes in nanoseconds: arithmetic of
/// `Duration` has 128 bits.
package struct RadioSchedule: Sendable {
    /// The largest number of engagements that are remembered: one ahead of each link, and those of
    /// the recent past. Beyond it the oldest is forgotten.
    package static let engagementLimit = 2_048
    /// The time for which an engagement is remembered after its end. It is longer than the air time
    /// of the longest packet.
    package static let memory = Duration.milliseconds(20)

    private static let memoryNanoseconds = memory.nanoseconds
    /// The largest gap between two engagements of one link that are remembered as one: the frame
    /// space between two exchanges.
    private static let seam = FrameSpace.betweenFrames.nanoseconds

    private struct Engagement: Sendable {
        let start: Int64
        var end: Int64
        let link: LinkID?
        let urgency: Int

        func isInTheWay(from start: Instant, to end: Instant, of link: LinkID?) -> Bool {
            self.start < end.nanoseconds && self.end > start.nanoseconds
                && (link == nil || self.link != link)
        }

        /// Whether the engagement gives way to a more urgent one: it belongs to a link and has not
        /// begun.
        func givesWay(to urgency: Int, now: Instant) -> Bool {
            link != nil && self.urgency < urgency && start > now.nanoseconds
        }
    }

    private var engagements: [Engagement] = []

    /// Creates the schedule of a radio without engagements.
    package init() {}

    /// Returns whether the radio has no engagement in that time, other than those of the link.
    package func isFree(from start: Instant, to end: Instant, for link: LinkID? = nil) -> Bool {
        for engagement in engagements where engagement.isInTheWay(from: start, to: end, of: link) {
            return false
        }
        return true
    }

    /// Engages the radio for that time.
    ///
    /// - Parameter urgency: Future engagements of other links with less urgency give way.
    /// - Returns: False, without any change, if the radio is not free in that time.
    @discardableResult
    package mutating func engage(
        from start: Instant,
        to end: Instant,
        for link: LinkID? = nil,
        urgency: Int = 0,
        now: Instant
    ) -> Bool {
        var mustClear = false
        for engagement in engagements where engagement.isInTheWay(from: start, to: end, of: link) {
            guard engagement.givesWay(to: urgency, now: now) else { return false }
            mustClear = true
        }
        if mustClear {
            engagements.removeAll { $0.isInTheWay(from: start, to: end, of: link) }
        }
        guard !extend(from: start, to: end, for: link) else { return true }
        forget(before: now)
        engagements.append(
            Engagement(
                start: start.nanoseconds,
                end: end.nanoseconds,
                link: link,
                urgency: urgency
            )
        )
        return true
    }

    /// Releases the engagements of the link from the instant on.
    package mutating func release(_ link: LinkID, from instant: Instant) {
        engagements.removeAll { $0.link == link && $0.start >= instant.nanoseconds }
        for place in engagements.indices where engagements[place].link == link {
            engagements[place].end = min(engagements[place].end, instant.nanoseconds)
        }
    }

    /// Extends an engagement of the same link that ends where the new one starts, or still lasts
    /// then.
    ///
    /// - Returns: False if there is no such engagement.
    private mutating func extend(from start: Instant, to end: Instant, for link: LinkID?) -> Bool {
        guard let link else { return false }
        let place = engagements.lastIndex {
            $0.link == link && $0.start <= start.nanoseconds
                && $0.end + Self.seam >= start.nanoseconds
        }
        guard let place else { return false }
        engagements[place].end = max(engagements[place].end, end.nanoseconds)
        return true
    }

    private mutating func forget(before now: Instant) {
        let horizon = now.nanoseconds - Self.memoryNanoseconds
        engagements.removeAll { $0.end < horizon }
        if engagements.count >= Self.engagementLimit { engagements.removeFirst() }
    }
}
