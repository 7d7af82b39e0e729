// SPDX-License-Identifier: Apache-2.0

/// What comes after an attempt that failed, or a link that was lost.
///
/// Failures are of three classes. Those that pass are followed by another attempt soon, those of
/// capacity a little later, those that stay by none. Attempts come in *bursts*, which are bounded in
/// number and in time; after a burst the accessory is waited for by a connect that stands in the system,
/// costs next to nothing, and never ends.
struct ReconnectPlan: Equatable, Sendable {
    /// What failed.
    struct Trouble: Equatable, Sendable {
        /// Why.
        var failure: LinkFailure
        /// Whether there was a link: the accessory is near.
        var linkWasUp: Bool
        /// Whether it was the standing connect that failed, which it hardly ever does.
        var wasStanding = false
        /// Whether that means that the accessory is out of range.
        var isOutOfRange: Bool
        /// Whether the accessory was usable once: it is worth waiting for.
        var isRemembered: Bool
    }

    /// What comes next.
    enum Step: Equatable, Sendable {
        /// Another attempt within a time-out.
        case dial(after: Duration)
        /// The connect that never ends; the system begins with it after so long.
        case standBy(after: Duration)
        /// Nothing.
        case stop
    }

    /// The failures of a burst.
    private struct Burst: Equatable, Sendable {
        var began: Duration
        var last: Duration
        var hard = 0
        var transient = 0
    }

    /// How often, and after how long.
    let limits: ReconnectLimits
    private var burst: Burst?
    private var usableSince: Duration?

    /// A plan for an accessory that nothing is known about.
    init(limits: ReconnectLimits = ReconnectLimits()) {
        self.limits = limits
    }

    /// The accessory became usable.
    mutating func succeeded(at now: Duration) {
        usableSince = now
    }

    /// Forgets what failed: the application wishes a new beginning.
    mutating func startOver() {
        burst = nil
        usableSince = nil
    }

    /// Decides what comes next. `chance` is a random number from 0 to 1, which spreads the attempts of
    /// many accessories that failed at the same time.
    mutating func step(after trouble: Trouble, at now: Duration, chance: Double) -> Step {
        closeBurst(at: now)
        guard trouble.failure.failureClass != .terminal else { return .stop }
        if count(trouble.failure, at: now) { return afterBurst(trouble) }
        let delay = backOff(trouble.failure, chance)
        if trouble.wasStanding { return .standBy(after: delay) }
        if trouble.isOutOfRange && trouble.isRemembered { return .standBy(after: .zero) }
        return .dial(after: delay)
    }

    private func backOff(_ failure: LinkFailure, _ chance: Double) -> Duration {
        guard failure.failureClass != .capacity else { return limits.capacityBackOff }
        return limits.backOffMinimum + (limits.backOffMaximum - limits.backOffMinimum) * chance
    }

    private mutating func closeBurst(at now: Duration) {
        let wasSteady = usableSince.map { now - $0 >= limits.steady } ?? false
        let wasLongAgo = burst.map { now - $0.last > limits.burst } ?? false
        if wasSteady || wasLongAgo { burst = nil }
        usableSince = nil
    }

    /// Whether the burst is over with this one.
    private mutating func count(_ failure: LinkFailure, at now: Duration) -> Bool {
        var burst = self.burst ?? Burst(began: now, last: now)
        burst.last = now
        if failure.failureClass == .transient {
            if failure.isHard { burst.hard += 1 } else { burst.transient += 1 }
        }
        let isOver =
            burst.hard >= limits.hardFailures || burst.transient >= limits.transientFailures
            || now - burst.began >= limits.burst
        self.burst = isOver ? nil : burst
        return isOver
    }

    private func afterBurst(_ trouble: Trouble) -> Step {
        guard trouble.isRemembered else { return .stop }
        let isNoUse = trouble.linkWasUp || trouble.wasStanding
        return .standBy(after: isNoUse ? limits.rest : .zero)
    }
}
