// SPDX-License-Identifier: Apache-2.0

/// The learned maximum silence of a present device: the longest gap between received
/// advertisements.
///
/// The usual history of the last 16 gaps is too short when advertisements are lost. At 20 % loss,
/// one time in 35 none of the last 16 gaps contains a loss. For a device with an interval of 10
/// seconds, the limit of twice that and 5 seconds is then exceeded by two losses in a row, and the
/// device would wrongly count as lost several times a day. This type therefore keeps 16 groups of
/// 16 gaps. The longest of 256 gaps is hardly ever below three intervals, and exceeding twice that
/// takes six losses in a row. The value is known after the first 16 gaps.
package struct LearnedInterval: Hashable, Sendable {
    /// The number of gaps in a group.
    package static let groupSize = 16
    /// The maximum number of groups; a new full group replaces the oldest.
    package static let groupLimit = 16
    /// The minimum gap. Packets closer together belong to one advertising event, because no device
    /// may advertise faster than every 20 ms (Vol 6, Part B, 4.4.2.2).
    package static let eventLength = Duration.milliseconds(10)

    private var longest: [Duration] = []
    private var current = Duration.zero
    private var count = 0

    package init() {}

    /// The longest gap; `nil` before the first 16 gaps.
    package var value: Duration? {
        longest.max().map { max($0, current) }
    }

    /// The longest gap so far, also before the interval counts as learned; `nil` before the first
    /// gap.
    package var longestGap: Duration? {
        value ?? (count > 0 ? current : nil)
    }

    /// Adds a gap between two advertisements that neither a link nor a break of the scan explains.
    package mutating func learn(_ gap: Duration) {
        guard gap >= Self.eventLength else { return }
        current = max(current, gap)
        count += 1
        guard count == Self.groupSize else { return }
        if longest.count == Self.groupLimit { longest.removeFirst() }
        longest.append(current)
        current = .zero
        count = 0
    }
}
