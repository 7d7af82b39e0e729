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

    /// The engagements, in the order of their starts. Those before `first` are forgotten, and are
    /// removed when they are half of the array. A radio with many links has one far ahead for each,
    /// so every search covers only the time that it concerns.
    private var engagements: [Engagement] = []
    private var first = 0
    /// The length of the longest engagement so far.
    private var longest: Int64 = 0
    /// For each link, an instant that no start of an engagement of the link is after.
    private var latestStarts: [LinkID: Int64] = [:]

    /// Creates the schedule of a radio without engagements.
    package init() {}

    /// Returns whether the radio has no engagement in that time, other than those of the link.
    package func isFree(from start: Instant, to end: Instant, for link: LinkID? = nil) -> Bool {
        for place in places(from: start.nanoseconds, to: end.nanoseconds)
        where engagements[place].isInTheWay(from: start, to: end, of: link) {
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
        let places = places(from: start.nanoseconds, to: end.nanoseconds)
        for place in places
        where engagements[place].isInTheWay(from: start, to: end, of: link) {
            guard engagements[place].givesWay(to: urgency, now: now) else { return false }
            mustClear = true
        }
        if mustClear {
            for place in places.reversed()
            where engagements[place].isInTheWay(from: start, to: end, of: link) {
                engagements.remove(at: place)
            }
        }
        guard !extend(from: start, to: end, for: link) else { return true }
        forget(before: now)
        insert(
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
        let instant = instant.nanoseconds
        for place in places(from: instant, to: instant) where engagements[place].link == link {
            engagements[place].end = min(engagements[place].end, instant)
        }
        guard let latest = latestStarts.removeValue(forKey: link), latest >= instant else { return }
        for place in (place(ofStart: instant)..<engagements.count).reversed()
        where engagements[place].link == link {
            engagements.remove(at: place)
        }
    }

    /// Extends an engagement of the same link that ends where the new one starts, or still lasts
    /// then.
    ///
    /// - Returns: False if there is no such engagement.
    private mutating func extend(from start: Instant, to end: Instant, for link: LinkID?) -> Bool {
        guard let link else { return false }
        let (start, end) = (start.nanoseconds, end.nanoseconds)
        let place = places(from: start - Self.seam, to: start + 1).last {
            engagements[$0].link == link && engagements[$0].end + Self.seam >= start
        }
        guard let place else { return false }
        engagements[place].end = max(engagements[place].end, end)
        longest = max(longest, engagements[place].end - engagements[place].start)
        return true
    }

    private mutating func insert(_ engagement: Engagement) {
        engagements.insert(engagement, at: place(ofStart: engagement.start + 1))
        longest = max(longest, engagement.end - engagement.start)
        guard let link = engagement.link else { return }
        latestStarts[link] = max(latestStarts[link] ?? engagement.start, engagement.start)
    }

    private mutating func forget(before now: Instant) {
        let horizon = now.nanoseconds - Self.memoryNanoseconds
        while first < engagements.count, engagements[first].end < horizon { first += 1 }
        if engagements.count - first >= Self.engagementLimit { first += 1 }
        guard first > engagements.count / 2 else { return }
        engagements.removeFirst(first)
        first = 0
    }

    /// Returns the places of all engagements that begin before `end` and may last beyond `start`.
    private func places(from start: Int64, to end: Int64) -> Range<Int> {
        let upper = place(ofStart: end)
        var lower = upper
        while lower > first, engagements[lower - 1].start >= start - longest { lower -= 1 }
        return lower..<upper
    }

    /// Returns the place of the first engagement that does not begin before `start`.
    private func place(ofStart start: Int64) -> Int {
        var (low, high) = (first, engagements.count)
        while low < high {
            let middle = (low + high) / 2
            if engagements[middle].start < start { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
