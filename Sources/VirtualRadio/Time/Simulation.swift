// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The result of a run of a simulation.
public enum RunOutcome: Equatable, Sendable {
    /// The awaited time is reached, the awaited condition holds, or no event is left.
    case reached
    /// The run reached its bound first.
    case boundReached
    /// One instant had more events than `EventTimeline.instantLimit`.
    case stalled
}

/// A simulation on a timeline, which handles its events one by one.
package protocol Simulation {
    associatedtype Event: Sendable

    /// The events that are due, and the current time.
    var timeline: EventTimeline<Event> { get set }

    /// Handles the event, at `timeline.now`. May schedule and cancel other events.
    mutating func handle(_ event: Event)
}

extension Simulation {
    /// Runs every event of the next `duration`, including events at its end. Afterward the current
    /// time is that end, unless the result is `stalled`.
    @discardableResult
    package mutating func run(for duration: Duration) -> RunOutcome {
        run(until: timeline.now + duration)
    }

    /// Runs every event that is due at `end` or before. Afterward the current time is `end`, unless
    /// the result is `stalled`.
    @discardableResult
    package mutating func run(until end: Instant) -> RunOutcome {
        while let event = timeline.next(through: end) {
            handle(event)
        }
        guard !timeline.isStalled else { return .stalled }
        timeline.advance(to: end)
        return .reached
    }

    /// Runs until the condition holds, but no longer than `bound`.
    ///
    /// The condition is checked before the first event and after every event. Afterward the time is
    /// the instant of the event that made the condition true, or the end of the bound, unless the
    /// result is `stalled`.
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

    /// Runs until no event is due, but no longer than `bound`. Afterward the time is the instant of
    /// the last event, or the end of the bound if that came first, unless the result is `stalled`.
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
