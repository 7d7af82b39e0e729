// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The placement of a new link's connection events between those of the central's other links.
extension Ether {
    /// The unit of the transmit window offset, in nanoseconds (Vol 6, Part B, 2.3.3.1).
    private static var windowStep: Int64 { 1_250_000 }
    /// The distance between connection events, in nanoseconds, from which a greater distance has no
    /// advantage.
    private static var sufficientDistance: Int64 { 25_000_000 }

    /// Returns the first anchor of a link whose connection request has ended just now.
    ///
    /// The anchor is at or after the beginning of the transmit window. Its offset is the one at
    /// which the anchors are farthest from those of the central's other links. Beyond
    /// `sufficientDistance`, a greater distance does not count.
    func firstAnchor(of link: RadioLink) -> Instant {
        let interval = link.proposal.parameters.interval.nanoseconds
        let earliest = (now + link.proposal.windowDelay).nanoseconds
        let others = settings(of: link.proposal.central, exceptFor: link.id, beside: interval)
        guard !others.isEmpty else { return Instant(nanoseconds: earliest) }
        var best = (anchor: earliest, distance: Int64(-1))
        for anchor in stride(from: earliest, to: earliest + interval, by: Int(Self.windowStep)) {
            let distance = others.reduce(Self.sufficientDistance) { least, other in
                let apart = abs(anchor - other.anchor) % other.period
                return min(least, apart, other.period - apart)
            }
            if distance > best.distance { best = (anchor, distance) }
            if distance == Self.sufficientDistance { break }
        }
        return Instant(nanoseconds: best.anchor)
    }

    /// Returns an anchor and a period, in nanoseconds, for each of the radio's links except `id`.
    /// The period is the greatest common divisor of the link's interval and `interval`. All
    /// distances between an anchor of the link and an anchor of a new link with `interval` are
    /// equal modulo this period.
    private func settings(
        of radio: RadioID,
        exceptFor id: LinkID,
        beside interval: Int64
    ) -> [(anchor: Int64, period: Int64)] {
        links.identifiers(of: radio).compactMap { name in
            guard name != id else { return nil }
            let anchor = links.read(name) { link -> (anchor: Int64, period: Int64)? in
                guard link.isMade else { return nil }
                let other = (link.central ?? link.peripheral)?.timing.interval ?? interval
                return (link.anchor.nanoseconds, Self.greatestCommonDivisor(interval, other))
            }
            return anchor ?? nil
        }
    }

    private static func greatestCommonDivisor(_ one: Int64, _ other: Int64) -> Int64 {
        var (large, small) = (one, other)
        while small > 0 { (large, small) = (small, large % small) }
        return max(large, 1)
    }
}
