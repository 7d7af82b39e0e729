// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// When one radio is engaged, a little way back and ahead: it does one thing at a time.
///
/// Who is about to send, or to listen for something certain, engages the radio for that time;
/// scanning fills what is left, so a scanner only asks whether the radio was free. A connection
/// event engages the radio ahead, from anchor to the end of its first exchange, and then exchange
/// by exchange as it goes on.
package struct RadioSchedule: Sendable {
    /// How many engagements are remembered; beyond, the oldest is forgotten.
    package static let engagementLimit = 64
    /// How long an engagement is remembered after its end: longer than the longest packet.
    package static let memory = Duration.milliseconds(20)

    private struct Engagement: Sendable {
        let start: Instant
        let end: Instant
        let link: LinkID?
    }

    private var engagements: [Engagement] = []

    /// Whether nothing engages the radio in that time, beside what is engaged for the link.
    package func isFree(from start: Instant, to end: Instant, for link: LinkID? = nil) -> Bool {
        engagements.allSatisfy {
            $0.end <= start || $0.start >= end || (link != nil && $0.link == link)
        }
    }

    /// Engages the radio. False, and nothing happens, if it is not free in that time.
    @discardableResult
    package mutating func engage(
        from start: Instant,
        to end: Instant,
        for link: LinkID? = nil,
        now: Instant
    ) -> Bool {
        guard isFree(from: start, to: end, for: link) else { return false }
        let horizon = now + (.zero - Self.memory)
        engagements.removeAll { $0.end < horizon }
        if engagements.count >= Self.engagementLimit { engagements.removeFirst() }
        engagements.append(Engagement(start: start, end: end, link: link))
        return true
    }

    /// Takes back what is engaged for the link from the instant on.
    package mutating func release(_ link: LinkID, from instant: Instant) {
        engagements.removeAll { $0.link == link && $0.start >= instant }
    }

    /// When the radio is engaged next by something else than the link; nil if nothing is known.
    package func nextEngagement(after instant: Instant, exceptFor link: LinkID? = nil) -> Instant? {
        engagements.filter { $0.start >= instant && (link == nil || $0.link != link) }
            .map(\.start).min()
    }
}
