// SPDX-License-Identifier: Apache-2.0

/// The data channels that a link may use (Vol 6, Part B, 4.5.8).
package struct ChannelMap: Hashable, Sendable {
    /// The number of data channels.
    package static let channelCount = 37
    /// All data channels.
    package static let all = ChannelMap(rawValue: 0x1F_FFFF_FFFF)

    /// The channels, with one bit for each.
    package let rawValue: UInt64
    /// The channels, in ascending order.
    let used: [UInt8]

    /// Creates a map from the lowest 37 bits. A map with fewer than two channels is invalid (Vol 6,
    /// Part B, 4.5.8.1) and is replaced by all channels.
    package init(rawValue: UInt64) {
        let bits = rawValue & 0x1F_FFFF_FFFF
        self.rawValue = bits.nonzeroBitCount < 2 ? 0x1F_FFFF_FFFF : bits
        let map = self.rawValue
        used = (0..<Self.channelCount).filter { map >> $0 & 1 == 1 }.map { UInt8($0) }
    }

    /// Returns whether the link may use the channel.
    func contains(_ channel: Int) -> Bool { rawValue >> channel & 1 == 1 }

    /// Returns the used channel that replaces an unused channel.
    ///
    /// - Parameter index: The remapping index, which is taken modulo the number of used channels.
    func remapped(_ index: Int) -> Int { Int(used[index % used.count]) }
}
