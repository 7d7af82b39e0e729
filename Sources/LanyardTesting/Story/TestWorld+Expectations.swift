// SPDX-License-Identifier: Apache-2.0

import Lanyard
import Synchronization

// What a test expects.
extension TestWorld {
    /// How often a condition is looked at, in time of the world.
    static let glance = Duration.milliseconds(50)

    /// Waits until an accessory is in the state; returns at once if it is.
    ///
    /// ```swift
    /// try await world.expect(strap, becomes: .ready, within: .seconds(5))
    /// ```
    ///
    /// - Throws: `ExpectationFailure` if it is not so in time.
    public func expect(
        _ accessory: Accessory,
        becomes state: AccessoryState,
        within limit: Duration,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        story.follow(accessory)
        guard try await !sees(accessory, within: limit, { $0.state == state }) else { return }
        throw ExpectationFailure(
            "\(story.name(of: accessory)) did not become \(state) within \(limit): "
                + "it is \(accessory.latestChange)",
            story,
            file: file,
            line: line
        )
    }

    /// Lets time pass, in which an accessory must not get into the state; nor may it be in it now.
    ///
    /// - Throws: `ExpectationFailure` as soon as it is.
    public func expectNever(
        _ accessory: Accessory,
        becomes state: AccessoryState,
        for duration: Duration,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        story.follow(accessory)
        guard try await sees(accessory, within: duration, { $0.state == state }) else { return }
        throw ExpectationFailure(
            "\(story.name(of: accessory)) must not become \(state), and is \(accessory.latestChange)",
            story,
            file: file,
            line: line
        )
    }

    /// Waits until something is so, whatever it is: it is looked at now, and 20 times in each second of
    /// the world.
    ///
    /// ```swift
    /// try await world.expect("the label shows the rate", within: .seconds(3)) {
    ///     await model.rate == 61
    /// }
    /// ```
    ///
    /// - Throws: `ExpectationFailure` if it is not so in time.
    public func expect(
        _ what: String,
        within limit: Duration,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ condition: @Sendable () async throws -> Bool
    ) async throws {
        let end = now + limit
        while try await !condition() {
            guard now < end else {
                throw ExpectationFailure(
                    "within \(limit) it was not so: \(what)",
                    story,
                    file: file,
                    line: line
                )
            }
            try await advance(by: min(Self.glance, end - now))
        }
    }

    /// Whether a change comes that is as wanted, before the time is over.
    private func sees(
        _ accessory: Accessory,
        within limit: Duration,
        _ isWanted: @escaping @Sendable (AccessoryChange) -> Bool
    ) async throws -> Bool {
        let changes = accessory.changes
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await change in changes where isWanted(change) { return true }
                // It was forgotten: nothing changes any more.
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
    /// Returns never, and throws when the task is cancelled.
    fileprivate static func never() async throws {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        try Task<Never, Never>.checkCancellation()
    }
}
