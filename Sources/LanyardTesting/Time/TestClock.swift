// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import VirtualAdapters

/// The time of a world as a clock, for code that takes a clock as a parameter.
///
/// ```swift
/// let poller = Poller(clock: world.clock)  // ContinuousClock() in the app
/// ```
public struct TestClock: Clock {
    /// An instant in a world.
    public struct Instant: InstantProtocol {
        /// The time since the beginning of the world.
        public var offset: Swift.Duration

        /// Creates the instant at `offset` after the beginning.
        public init(offset: Swift.Duration) {
            self.offset = offset
        }

        /// Returns the instant that is `duration` later.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the duration from this instant to the other.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

        /// Returns whether the left instant is earlier than the right.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let air: SimulatedAir

    init(_ air: SimulatedAir) {
        self.air = air
    }

    /// The current time.
    public var now: Instant { Instant(offset: air.now - .zero) }

    /// The resolution of a world's time: one nanosecond.
    public var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// Suspends the task until the deadline.
    ///
    /// - Throws: `CancellationError` as soon as the task is canceled.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try await air.sleep(for: max(deadline.offset - now.offset, .zero))
    }
}

extension TestWorld {
    /// The clock of this world, for code that takes a clock as a parameter.
    public var clock: TestClock { TestClock(air) }
}
