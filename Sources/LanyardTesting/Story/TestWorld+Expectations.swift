// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard

// The expectations of a test.
extension TestWorld {
    /// The interval at which a condition is checked, in the time of the world.
    static let checkInterval = Duration.milliseconds(50)

    /// Waits until an accessory is in the state. Returns at once if it is.
    ///
    /// ```swift
    /// try await world.expect(strap, becomes: .ready, within: .seconds(5))
    /// ```
    ///
    /// - Throws: ``ExpectationFailure`` if the accessory is not in the state in time.
    public func expect(
        _ accessory: Accessory,
        becomes state: AccessoryState,
        within limit: Duration,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        story.follow(accessory)
        guard try await !hasChange(accessory, within: limit, { $0.state == state }) else { return }
        throw ExpectationFailure(
            "\(story.name(of: accessory)) did not become \(state) within \(limit): "
                + "it is \(accessory.latestChange)",
            story,
            file: file,
            line: line
        )
    }

    /// Lets time pass. The accessory must not be in the state now or at any time until the end of
    /// `duration`.
    ///
    /// - Throws: ``ExpectationFailure`` as soon as the accessory is in the state.
    public func expectNever(
        _ accessory: Accessory,
        becomes state: AccessoryState,
        for duration: Duration,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        story.follow(accessory)
        guard try await hasChange(accessory, within: duration, { $0.state == state }) else {
            return
        }
        throw ExpectationFailure(
            "\(story.name(of: accessory)) must not become \(state), and is \(accessory.latestChange)",
            story,
            file: file,
            line: line
        )
    }

    /// Waits until a condition holds. It is checked now, and 20 times in each second of the world,
    /// on the actor of the code that calls this method.
    ///
    /// ```swift
    /// try await world.expect("the label shows the rate", within: .seconds(3)) {
    ///     await model.rate == 61
    /// }
    /// ```
    ///
    /// - Throws: ``ExpectationFailure`` if the condition does not hold in time, or the error of the
    ///   condition.
    public func expect(
        _ what: String,
        within limit: Duration,
        file: StaticString = #fileID,
        line: UInt = #line,
        @_inheritActorContext _ condition: @Sendable () async throws -> Bool
    ) async throws {
        let end = now + limit
        while try await !condition() {
            guard now < end else {
                throw ExpectationFailure(
                    "not true within \(limit): \(what)",
                    story,
                    file: file,
                    line: line
                )
            }
            try await advance(by: min(Self.checkInterval, end - now))
        }
    }

    /// Returns whether a change that satisfies the predicate comes in time.
    private func hasChange(
        _ accessory: Accessory,
        within limit: Duration,
        _ predicate: @escaping @Sendable (AccessoryChange) -> Bool
    ) async throws -> Bool {
        let changes = accessory.changes
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await change in changes where predicate(change) { return true }
                // The accessory was forgotten or its central has ended, so there are no more
                // changes.
                try await Task.never()
                return false
            }
            group.addTask { [self] in
                try await advance(by: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Suspends forever.
    ///
    /// - Throws: `CancellationError` when the task is canceled.
    fileprivate static func never() async throws {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        try Task<Never, Never>.checkCancellation()
    }
}
