// SPDX-License-Identifier: Apache-2.0

/// Which channel each connection event of a link has (Vol 6, Part B, 4.5.8).
struct ChannelHopping: Sendable {
    /// By how much Channel Selection Algorithm #1 may go on.
    static let hopIncrements = 5...16

    private enum Algorithm: Sendable {
        /// Always on by the same increment.
        case first(hopIncrement: Int, last: Int)
        /// As if by chance, after the access address.
        case second(ChannelSelection2)
    }

    private var algorithm: Algorithm

    /// The hops of a link that was asked for.
    init(_ proposal: LinkProposal, using dice: inout RandomStream) {
        let accessAddress = UInt32(truncatingIfNeeded: dice.next())
        let choices = UInt64(Self.hopIncrements.count)
        let hop = Self.hopIncrements.lowerBound + Int(dice.uniform(below: choices))
        algorithm =
            proposal.usesChannelSelection2
            ? .second(ChannelSelection2(accessAddress: accessAddress))
            : .first(hopIncrement: hop, last: 0)
    }

    /// Channel Selection Algorithm #1 with the increment (Vol 6, Part B, 4.5.8.2).
    init(hopIncrement: Int) {
        algorithm = .first(hopIncrement: hopIncrement, last: 0)
    }

    /// The channel of the next event, which has the number. To be asked once for every event.
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
    /// The channel identifier: both halves of the access address in one.
    package let identifier: UInt16

    /// The algorithm for links with the access address.
    package init(accessAddress: UInt32) {
        identifier = UInt16(truncatingIfNeeded: accessAddress >> 16 ^ accessAddress)
    }

    /// The channel of the event with the number.
    package func channel(_ eventCounter: UInt16, _ map: ChannelMap) -> Int {
        let number = pseudoRandomNumber(eventCounter)
        let unmapped = Int(number) % ChannelMap.channelCount
        guard !map.contains(unmapped) else { return unmapped }
        return map.remapped((map.used.count * Int(number)) >> 16)
    }

    /// prn_e: what the event's number becomes when it is stirred.
    package func pseudoRandomNumber(_ eventCounter: UInt16) -> UInt16 {
        var number = eventCounter ^ identifier
        for _ in 0..<3 {
            number = Self.permuted(number) &* 17 &+ identifier
        }
        return number ^ identifier
    }

    /// The bits of each octet in reverse.
    private static func permuted(_ number: UInt16) -> UInt16 {
        var bits = number
        bits = (bits & 0x5555) << 1 | bits >> 1 & 0x5555
        bits = (bits & 0x3333) << 2 | bits >> 2 & 0x3333
        return (bits & 0x0F0F) << 4 | bits >> 4 & 0x0F0F
    }
}
