// SPDX-License-Identifier: Apache-2.0

/// How many links there may be, as far as that is known.
///
/// Nobody says how many links a controller makes, and other programs may have some of them. So the number
/// is learned when one is refused: it is how many there were. It is too small if others had links then;
/// so after a while one more is tried, and if that is refused, again after twice that while.
package struct LearnedLimit: Hashable, Sendable {
    /// How long a limit is believed before one more is tried.
    package static let firstTrust = Duration.seconds(300)
    /// How long it is believed at most.
    package static let trustLimit = Duration.seconds(3600)

    /// The limit that was set; nil if none was.
    package let fixed: Int?
    /// The limit that was learned; nil if no link was ever refused.
    private var learned: Int?
    private var trust = firstTrust
    private var trustEnd: Duration?

    package init(_ limit: ConnectionLimit) {
        fixed =
            switch limit {
            case .learned: nil
            case .fixed(let count): max(count, 1)
            }
    }

    /// How many links there may be; nil if nobody knows.
    package var value: Int? {
        guard let fixed, let learned else { return fixed ?? learned }
        return min(fixed, learned)
    }

    /// When one more may be tried; nil if nothing can be won by that.
    package var nextTrial: Duration? {
        guard let learned, fixed.map({ learned < $0 }) ?? true else { return nil }
        return trustEnd
    }

    /// Whether there may be one more than so many. Raises the limit if it is time to try that.
    package mutating func admits(_ count: Int, now: Duration) -> Bool {
        guard let value, count >= value else { return true }
        guard let nextTrial, nextTrial <= now, count == learned else { return false }
        learned = count + 1
        trustEnd = now + trust
        return true
    }

    /// There are so many links.
    package mutating func proved(_ count: Int, now: Duration) {
        guard let learned, count >= learned else { return }
        trust = Self.firstTrust
        guard count > learned else { return }
        self.learned = count
        trustEnd = now + trust
    }

    /// There were so many links, and one more was refused.
    package mutating func refused(beside count: Int, now: Duration) {
        if learned != nil { trust = min(trust * 2, Self.trustLimit) }
        learned = max(count, 1)
        trustEnd = now + trust
    }
}
