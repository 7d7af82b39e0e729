// SPDX-License-Identifier: Apache-2.0

/// The learned maximum silence of a present device: the longest gap between its received
/// advertisements. A lost advertisement makes a gap longer than the device's interval.
///
/// A device counts as lost after twice the longest gap and 5 seconds (``PresenceRules``). A history
/// of only 16 gaps makes this limit too short. If 20 % of the advertisements are lost, one history
/// in 35 contains no loss, so its longest gap is the interval itself. With an interval of 10
/// seconds, the limit is then 25 seconds, and two losses in a row exceed it. The device would
/// wrongly count as lost several times a day.
///
/// This type therefore keeps 16 groups of 16 gaps. The longest of 256 gaps is hardly ever below
/// three intervals. With an interval of 10 seconds, the limit is then 65 seconds, and only six
/// losses in a row exceed it. The value is known after the first 16 gaps.
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

    /// The longest gap, like ``value``, but known from the first gap on; `nil` before that gap.
    package var longestGap: Duration? {
        value ?? (count > 0 ? current : nil)
    }

    /// Adds a gap between two advertisements. The gap must contain no link and no break of the
    /// scan, because advertisements are missing then.
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
