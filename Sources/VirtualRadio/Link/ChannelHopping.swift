// SPDX-License-Identifier: Apache-2.0

/// The selection of the channel of each connection event of a link (Vol 6, Part B, 4.5.8).
struct ChannelHopping: Sendable {
    /// The valid hop increments of Channel Selection Algorithm #1.
    static let hopIncrements = 5...16

    private enum Algorithm: Sendable {
        /// Algorithm #1, which adds the same increment for each event.
        case first(hopIncrement: Int, last: Int)
        /// Algorithm #2, a pseudo-random sequence that follows from the access address.
        case second(ChannelSelection2)
    }

    private var algorithm: Algorithm

    /// Creates the channel selection of a requested link.
    init(_ proposal: LinkProposal, using generator: inout RandomStream) {
        let accessAddress = UInt32(truncatingIfNeeded: generator.next())
        let choices = UInt64(Self.hopIncrements.count)
        let hop = Self.hopIncrements.lowerBound + Int(generator.uniform(below: choices))
        algorithm =
            proposal.usesChannelSelection2
            ? .second(ChannelSelection2(accessAddress: accessAddress))
            : .first(hopIncrement: hop, last: 0)
    }

    /// Creates Channel Selection Algorithm #1 with the increment (Vol 6, Part B, 4.5.8.2).
    init(hopIncrement: Int) {
        algorithm = .first(hopIncrement: hopIncrement, last: 0)
    }

    /// Returns the channel of the next event, which has the number `eventCounter`. Must be called
    /// once for every event.
    mutating func next(_ eventCounter: UInt16, _ map: ChannelMap) -> Int {
        switch algorithm {
        case .first(let increment, let last):
            let unmapped = (last + increment) % ChannelMap.channelCount
            algorithm = .first(hopIncrement: increment, last: unmapped)
            return map.contains(unmapped) ? unmapped : map.remapped(unmapped)
        case .second(let selection):
            return selection.channel(eventCounter, map)
        }
    }
}

/// Channel Selection Algorithm #2 (Vol 6, Part B, 4.5.8.3).
package struct ChannelSelection2: Hashable, Sendable {
    /// The channel identifier: the exclusive or of both halves of the access address.
    package let identifier: UInt16

    /// Creates the algorithm for links with the access address.
    package init(accessAddress: UInt32) {
        identifier = UInt16(truncatingIfNeeded: accessAddress >> 16 ^ accessAddress)
    }

    /// Returns the channel of the event with the number.
    package func channel(_ eventCounter: UInt16, _ map: ChannelMap) -> Int {
        let number = pseudoRandomNumber(eventCounter)
        let unmapped = Int(number) % ChannelMap.channelCount
        guard !map.contains(unmapped) else { return unmapped }
        return map.remapped((map.used.count * Int(number)) >> 16)
    }

    /// Returns prn_e, the pseudo-random number of the event.
    package func pseudoRandomNumber(_ eventCounter: UInt16) -> UInt16 {
        var number = eventCounter ^ identifier
        for _ in 0..<3 {
            number = Self.permuted(number) &* 17 &+ identifier
        }
        return number ^ identifier
    }

    /// Returns the number with the bits of each byte in reverse order.
    private static func permuted(_ number: UInt16) -> UInt16 {
        var bits = number
        bits = (bits & 0x5555) << 1 | bits >> 1 & 0x5555
        bits = (bits & 0x3333) << 2 | bits >> 2 & 0x3333
        return (bits & 0x0F0F) << 4 | bits >> 4 & 0x0F0F
    }
}
