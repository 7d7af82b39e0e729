// SPDX-License-Identifier: Apache-2.0

/// The data channels that a link may use (Vol 6, Part B, 4.5.8).
package struct ChannelMap: Hashable, Sendable {
    /// How many data channels there are.
    package static let channelCount = 37
    /// All of them.
    package static let all = ChannelMap(rawValue: 0x1F_FFFF_FFFF)

    /// A bit for each channel.
    package let rawValue: UInt64
    /// The channels, in ascending order.
    let used: [UInt8]

    /// The map of these bits; bits beyond the 37 are ignored. Fewer than two channels are no map
    /// (Vol 6, Part B, 4.5.8.1): then all are used.
    package init(rawValue: UInt64) {
        let bits = rawValue & 0x1F_FFFF_FFFF
        self.rawValue = bits.nonzeroBitCount < 2 ? 0x1F_FFFF_FFFF : bits
        let map = self.rawValue
        used = (0..<Self.channelCount).filter { map >> $0 & 1 == 1 }.map { UInt8($0) }
    }

    /// Whether the channel may be used.
    func contains(_ channel: Int) -> Bool { rawValue >> channel & 1 == 1 }

    /// The used channel that stands in for an unused one, by its remapping index.
    func remapped(_ index: Int) -> Int { Int(used[index % used.count]) }
}
