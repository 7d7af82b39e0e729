// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// How a run of a simulation ended.
public enum RunOutcome: Equatable, Sendable {
    /// What was run for has come: the time, the condition, or silence.
    case reached
    /// The bound came first.
    case boundReached
    /// One instant had more events than an instant may have (`Timeline.instantLimit`).
    case stalled
}

/// Something that happens on a timeline: it says what an event does, and can be run.
package protocol Simulation {
    associatedtype Event: Sendable

    /// What is due when.
    var timeline: Timeline<Event> { get set }

    /// Lets the event happen, at `timeline.now`. May schedule and cancel others.
    mutating func handle(_ event: Event)
}

extension Simulation {
    /// Runs every event of the next `duration`, including those due at its very end, where the
    /// present is then.
    @discardableResult
    package mutating func run(for duration: Duration) -> RunOutcome {
        run(until: timeline.now + duration)
    }

    /// Runs every event due at `end` or before; the present is `end` then.
    @discardableResult
    package mutating func run(until end: Instant) -> RunOutcome {
        while let event = timeline.next(through: end) {
            handle(event)
        }
        guard !timeline.isStalled else { return .stalled }
        timeline.advance(to: end)
        return .reached
    }

    /// Runs until the condition holds, which is asked before the first and after every event, but
    /// no longer than `bound`. The present is the instant of the event that made the condition
    /// true, or the end of the bound.
    package mutating func run(
        until condition: (Self) -> Bool,
        bound: Duration
    ) -> RunOutcome {
        let end = timeline.now + bound
        while !condition(self) {
            guard let event = timeline.next(through: end) else {
                return settle(at: end, as: .boundReached)
            }
            handle(event)
        }
        return .reached
    }

    /// Runs until nothing is due any more, but no longer than `bound`. The present is the instant
    /// of the last event, or the end of the bound if that came first.
    package mutating func runUntilIdle(bound: Duration) -> RunOutcome {
        let end = timeline.now + bound
        while let event = timeline.next(through: end) {
            handle(event)
        }
        guard timeline.eventCount > 0 else { return .reached }
        return settle(at: end, as: .boundReached)
    }

    private mutating func settle(at end: Instant, as outcome: RunOutcome) -> RunOutcome {
        guard !timeline.isStalled else { return .stalled }
        timeline.advance(to: end)
        return outcome
    }
}
