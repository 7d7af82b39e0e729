// SPDX-License-Identifier: Apache-2.0

/// A clock that runs only while a scan does: who is silent while nobody listens is not silent.
package struct ListeningTime: Hashable, Sendable {
    private var before = Duration.zero
    private var start: Duration?

    package init() {}

    /// Whether somebody listens.
    package var isRunning: Bool { start != nil }

    /// How long there was listening until now.
    package func elapsed(at now: Duration) -> Duration {
        before + stretch(at: now)
    }

    /// How long there is listening without a break.
    package func stretch(at now: Duration) -> Duration {
        start.map { max(now - $0, .zero) } ?? .zero
    }

    /// When there will have been so much listening; nil if there is none.
    package func instant(of elapsed: Duration) -> Duration? {
        start.map { $0 + (elapsed - before) }
    }

    /// The scan began. False if it ran already.
    package mutating func begin(now: Duration) -> Bool {
        guard start == nil else { return false }
        start = now
        return true
    }

    /// The scan ended.
    package mutating func end(now: Duration) {
        before = elapsed(at: now)
        start = nil
    }
}
