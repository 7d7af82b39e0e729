// SPDX-License-Identifier: Apache-2.0

/// How long a device may be silent though it is there: the longest gap between advertisements that arrived.
///
/// The usual memory, the last 16 gaps, is too short where advertisements are lost. At 20 % loss, one time
/// in 35 all of the last 16 gaps are of one interval; of a device that advertises every ten seconds, a
/// silence of twice that and five seconds more then is a matter of two losses in a row, and it would be
/// called lost, in vain, half a dozen times a day. So 16 such memories are kept in a row: the longest of 256
/// gaps is hardly ever below four intervals, and twice that takes nine losses in a row. Where nothing is lost,
/// both learn the same. It counts as known from the first 16 gaps on.
package struct LearnedInterval: Hashable, Sendable {
    /// How many gaps one memory holds.
    package static let groupSize = 16
    /// How many memories there are: the oldest goes when a new one is full.
    package static let groupLimit = 16
    /// What comes closer together is of one advertising event: no device may advertise faster than every
    /// 20 ms (Vol 6, Part B, 4.4.2.2).
    package static let eventLength = Duration.milliseconds(10)

    private var longest: [Duration] = []
    private var current = Duration.zero
    private var count = 0

    package init() {}

    /// The longest gap there was; nil before 16 of them were seen.
    package var value: Duration? {
        longest.max().map { max($0, current) }
    }

    /// A gap between two advertisements, with nothing that would explain it.
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
