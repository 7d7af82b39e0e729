// SPDX-License-Identifier: Apache-2.0

/// The latest attempts of an accessory, and the current one.
struct AttemptLog: Equatable, Sendable {
    /// The maximum number of records; older ones are dropped.
    static let limit = 32

    private struct Attempt: Equatable, Sendable {
        var number: Int
        var approach: AttemptRecord.Approach
        var began: Duration
        var steps: [AttemptRecord.Step] = []
        var phase: AttemptRecord.Phase
        var phaseBegan: Duration

        /// Ends the current phase. If the phase is repeated, its new step replaces the former one
        /// and has the total duration, so there are never more steps than phases.
        mutating func end(at now: Duration) {
            let before = steps.firstIndex { $0.phase == phase }
            let duration = before.map { steps.remove(at: $0).duration } ?? .zero
            steps.append(AttemptRecord.Step(phase, duration + now - phaseBegan))
        }
    }

    /// The records, oldest first.
    private(set) var records: [AttemptRecord] = []
    /// The last reported number of links; `nil` if none was reported.
    var slots: AttemptRecord.Slots?
    /// The last signal strength of the accessory; `nil` if it is unknown.
    var rssi: Int?
    private var current: Attempt?
    private var number = 0

    /// Enters a phase; the first phase starts an attempt.
    mutating func enter(
        _ phase: AttemptRecord.Phase,
        by approach: AttemptRecord.Approach,
        at now: Duration
    ) {
        guard var attempt = current else {
            number += 1
            current = Attempt(
                number: number,
                approach: approach,
                began: now,
                phase: phase,
                phaseBegan: now
            )
            return
        }
        guard attempt.phase != phase else { return }
        attempt.end(at: now)
        attempt.phase = phase
        attempt.phaseBegan = now
        current = attempt
    }

    /// Ends the attempt, if there is one, and returns its record.
    mutating func close(
        with failure: LinkFailure?,
        next: AttemptRecord.Next,
        at now: Duration
    ) -> AttemptRecord? {
        guard var attempt = current else { return nil }
        attempt.end(at: now)
        current = nil
        let record = AttemptRecord(
            number: attempt.number,
            approach: attempt.approach,
            began: attempt.began,
            steps: attempt.steps,
            failure: failure,
            slots: slots,
            rssi: rssi,
            next: next
        )
        if records.count == Self.limit { records.removeFirst() }
        records.append(record)
        return record
    }
}
