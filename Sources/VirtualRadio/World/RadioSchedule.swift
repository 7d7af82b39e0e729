// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// When one radio is engaged, a little way back and ahead: it does one thing at a time.
///
/// Who is about to send, or to listen for something certain, engages the radio for that time;
/// scanning fills what is left, so a scanner only asks whether the radio was free. A connection
/// event engages the radio ahead, from anchor to the end of its first exchange, and then exchange
/// by exchange as it goes on.
///
/// Everything that a radio does asks here, so this counts in nanoseconds: arithmetic of `Duration`
/// has 128 bits.
package struct RadioSchedule: Sendable {
    /// How many engagements are remembered; beyond, the oldest is forgotten.
    package static let engagementLimit = 128
    /// How long an engagement is remembered after its end: longer than the longest packet.
    package static let memory = Duration.milliseconds(20)

    private static let memoryNanoseconds = memory.nanoseconds
    /// Two engagements for one link that are no farther apart are remembered as one: the frame
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

        /// Whether it can still be put off for something more urgent.
        func givesWay(to urgency: Int, now: Instant) -> Bool {
            link != nil && self.urgency < urgency && start > now.nanoseconds
        }
    }

    private var engagements: [Engagement] = []

    /// A radio with nothing to do.
    package init() {}

    /// Whether nothing engages the radio in that time, beside what is engaged for the link.
    package func isFree(from start: Instant, to end: Instant, for link: LinkID? = nil) -> Bool {
        for engagement in engagements where engagement.isInTheWay(from: start, to: end, of: link) {
            return false
        }
        return true
    }

    /// Engages the radio. False, and nothing happens, if it is not free in that time.
    ///
    /// - Parameter urgency: What other links are engaged for ahead, with less urgency, gives way.
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

    /// Takes back what is engaged for the link from the instant on.
    package mutating func release(_ link: LinkID, from instant: Instant) {
        engagements.removeAll { $0.link == link && $0.start >= instant.nanoseconds }
        for place in engagements.indices where engagements[place].link == link {
            engagements[place].end = min(engagements[place].end, instant.nanoseconds)
        }
    }

    /// When the radio is engaged next by something else than the link; nil if nothing is known.
    package func nextEngagement(after instant: Instant, exceptFor link: LinkID? = nil) -> Instant? {
        var next: Int64?
        for engagement in engagements where engagement.start >= instant.nanoseconds {
            if link != nil, engagement.link == link { continue }
            next = min(next ?? .max, engagement.start)
        }
        return next.map(Instant.init(nanoseconds:))
    }

    /// Lets an engagement for the same link last longer, if there is one that ends where the new
    /// one starts, or is still going on then.
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
