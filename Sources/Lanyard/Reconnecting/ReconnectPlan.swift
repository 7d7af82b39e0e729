// SPDX-License-Identifier: Apache-2.0

/// The rules for the step after a failed attempt or a lost link.
///
/// There are three classes of failures. Another attempt follows soon after a transient failure, and
/// later after a lack of capacity. A terminal failure ends the attempts unless it may pass by
/// itself. A *burst* is a series of attempts in quick succession. It ends after a number of
/// failures or after a time (``ReconnectLimits``).
///
/// After a burst, or if a remembered accessory is out of range, a connection request is left
/// pending with the system; it needs little power and has no time limit. An accessory that is not
/// remembered gets no further attempt after a burst.
struct ReconnectPlan: Equatable, Sendable {
    /// A failure and its circumstances.
    struct FailedAttempt: Equatable, Sendable {
        var failure: LinkFailure
        /// Whether there was a link, which shows that the accessory is near.
        var linkWasUp: Bool
        /// Whether a pending connection request failed. This is rare, unless the controller has no
        /// room for another link.
        var wasPending = false
        /// Whether the failure means that the accessory is out of range.
        var isOutOfRange: Bool
        /// Whether the accessory has been usable, so that a pending connection request is
        /// worthwhile.
        var isRemembered: Bool

        /// Whether a terminal failure may pass by itself: a remembered accessory had all that the
        /// app needs, and may not have published its services yet.
        var isPassing: Bool { failure.kind == .incomplete && isRemembered }

        /// Whether a connection attempt took too long.
        var isTimeout: Bool { failure.kind == .timeout && !linkWasUp }
    }

    /// The step after a failure.
    enum Step: Equatable, Sendable {
        /// Another attempt with a timeout.
        case connect(after: Duration)
        /// A pending connection request, which the system starts after the delay.
        case connectPending(after: Duration)
        /// No further attempt.
        case stop
    }

    /// The failures of a burst.
    private struct Burst: Equatable, Sendable {
        var began: Duration
        var last: Duration
        var hard = 0
        var transient = 0
    }

    /// A refusal of a pending connection request, and the wait after it.
    private struct Refusal: Equatable, Sendable {
        var time: Duration
        var wait: Duration
    }

    /// The limits and times.
    let limits: ReconnectLimits
    private var burst: Burst?
    /// The latest refusal of a pending connection request because there are too many links; `nil`
    /// if there is none since the accessory was usable.
    private var refusal: Refusal?
    private var usableSince: Duration?

    /// Creates a plan without earlier failures.
    init(limits: ReconnectLimits = ReconnectLimits()) {
        self.limits = limits
    }

    /// Records that the accessory became usable.
    mutating func succeeded(at now: Duration) {
        usableSince = now
        refusal = nil
    }

    /// Discards all earlier failures, because the app requested a new start.
    mutating func startOver() {
        burst = nil
        refusal = nil
        usableSince = nil
    }

    /// Decides the next step. `chance` is a random number from 0 to 1, which spreads the attempts
    /// of accessories that failed at the same time.
    mutating func step(after failedAttempt: FailedAttempt, at now: Duration, chance: Double) -> Step
    {
        discardOldFailures(at: now)
        guard failedAttempt.failure.failureClass != .terminal || failedAttempt.isPassing else {
            return .stop
        }
        // The attempt of a first pairing has used the time that the app permits for connecting.
        guard failedAttempt.isRemembered || !failedAttempt.isTimeout else { return .stop }
        if failedAttempt.wasPending, failedAttempt.failure.failureClass == .capacity {
            // Another app may hold the links, and the library cannot observe when they end.
            let doubled = refusal.map { $0.wait * 2 } ?? limits.capacityBackOff
            let wait = min(doubled, limits.capacityBackOffMaximum)
            refusal = Refusal(time: now, wait: wait)
            return .connectPending(after: wait)
        }
        if count(failedAttempt.failure, at: now) { return afterBurst(failedAttempt) }
        let delay = backOff(failedAttempt.failure, chance)
        if failedAttempt.wasPending { return .connectPending(after: delay) }
        if failedAttempt.isOutOfRange && failedAttempt.isRemembered {
            return .connectPending(after: .zero)
        }
        return .connect(after: delay)
    }

    private func backOff(_ failure: LinkFailure, _ chance: Double) -> Duration {
        guard failure.failureClass != .capacity else { return limits.capacityBackOff }
        return limits.backOffMinimum + (limits.backOffMaximum - limits.backOffMinimum) * chance
    }

    private mutating func discardOldFailures(at now: Duration) {
        let wasSteady = usableSince.map { now - $0 >= limits.steady } ?? false
        let isBurstOver = burst.map { now - $0.last > limits.burst } ?? false
        if wasSteady || isBurstOver { burst = nil }
        // The system has accepted a request since the refusal.
        if let refusal, now - refusal.time > refusal.wait + limits.burst { self.refusal = nil }
        usableSince = nil
    }

    /// Counts a failure and returns whether it ends the burst.
    private mutating func count(_ failure: LinkFailure, at now: Duration) -> Bool {
        var burst = self.burst ?? Burst(began: now, last: now)
        burst.last = now
        if failure.failureClass != .capacity {
            if failure.isHard { burst.hard += 1 } else { burst.transient += 1 }
        }
        let isOver =
            burst.hard >= limits.hardFailures || burst.transient >= limits.transientFailures
            || now - burst.began >= limits.burst
        self.burst = isOver ? nil : burst
        return isOver
    }

    private func afterBurst(_ failedAttempt: FailedAttempt) -> Step {
        guard failedAttempt.isRemembered else { return .stop }
        let isRetryUseless = failedAttempt.linkWasUp || failedAttempt.wasPending
        return .connectPending(after: isRetryUseless ? limits.burstBackOff : .zero)
    }
}
