// SPDX-License-Identifier: Apache-2.0

/// The known limit on simultaneous links.
///
/// A controller does not state how many links it supports, and other programs may hold some of
/// them. The pool therefore learns the limit when a link is refused: it is the number of links at
/// that time. The limit is too low if other programs held links at that time. So after a while the
/// pool tries one more link. If that link is refused, the pool waits twice as long before the next
/// trial.
package struct LearnedLimit: Hashable, Sendable {
    /// The time from the first refusal to the trial of one more link.
    package static let firstTrialInterval = Duration.seconds(300)
    /// The maximum time between trials.
    package static let trialIntervalLimit = Duration.seconds(3600)

    /// The configured limit; `nil` if there is none.
    package let fixed: Int?
    /// The learned limit; `nil` if no link was ever refused.
    private var learned: Int?
    private var trialInterval = firstTrialInterval
    private var trialTime: Duration?

    package init(_ limit: ConnectionLimit) {
        fixed =
            switch limit {
            case .learned: nil
            case .fixed(let count): max(count, 1)
            }
    }

    /// The limit; `nil` if it is unknown.
    package var value: Int? {
        guard let fixed, let learned else { return fixed ?? learned }
        return min(fixed, learned)
    }

    /// The time at which one more link may be tried; `nil` if a trial cannot help.
    package var nextTrial: Duration? {
        guard let learned, fixed.map({ learned < $0 }) ?? true else { return nil }
        return trialTime
    }

    /// Returns whether one more link than `count` is permitted. Raises the limit if a trial is due.
    package mutating func admits(_ count: Int, now: Duration) -> Bool {
        guard let value, count >= value else { return true }
        guard let nextTrial, nextTrial <= now, count == learned else { return false }
        learned = count + 1
        trialTime = now + trialInterval
        return true
    }

    /// Records that `count` links exist. A learned limit below that number rises to it.
    package mutating func reached(_ count: Int, now: Duration) {
        guard let learned, count >= learned else { return }
        trialInterval = Self.firstTrialInterval
        guard count > learned else { return }
        self.learned = count
        trialTime = now + trialInterval
    }

    /// Records that, while `count` links existed, another link was refused.
    package mutating func refused(beside count: Int, now: Duration) {
        if learned != nil { trialInterval = min(trialInterval * 2, Self.trialIntervalLimit) }
        learned = max(count, 1)
        trialTime = now + trialInterval
    }
}
