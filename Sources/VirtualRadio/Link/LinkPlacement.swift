// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// Where a Central puts the connection events of a new link between those that it has.
extension Ether {
    /// The step of the transmit window's offset (Vol 6, Part B, 2.3.3.1).
    private static var windowStep: Int64 { 1_250_000 }
    /// Farther apart than that, connection events need not be.
    private static var sufficientDistance: Int64 { 25_000_000 }

    /// When the first packet of the link is sent, whose request has ended just now: after the
    /// transmit window's delay, and an offset with which the anchors stay as far as possible
    /// from those of the Central's other links.
    func firstAnchor(of link: Link) -> Instant {
        let interval = link.proposal.parameters.interval.nanoseconds
        let earliest = (now + link.proposal.windowDelay).nanoseconds
        let others = rhythms(of: link.proposal.central, exceptFor: link.id, beside: interval)
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

    /// The anchors of the radio's links, and after how long their distances to the anchors of an
    /// interval come again.
    private func rhythms(
        of radio: RadioID,
        exceptFor id: LinkID,
        beside interval: Int64
    ) -> [(anchor: Int64, period: Int64)] {
        links.names(of: radio).compactMap { name in
            guard name != id, let link = links[name], link.isMade else { return nil }
            let other = (link.central ?? link.peripheral)?.pace.interval ?? interval
            return (link.anchor.nanoseconds, Self.greatestCommonDivisor(interval, other))
        }
    }

    private static func greatestCommonDivisor(_ one: Int64, _ other: Int64) -> Int64 {
        var (large, small) = (one, other)
        while small > 0 { (large, small) = (small, large % small) }
        return max(large, 1)
    }
}
