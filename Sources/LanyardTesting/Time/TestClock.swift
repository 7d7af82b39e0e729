// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import VirtualAdapters

/// The time of a world as a clock, for code that is given one.
///
/// ```swift
/// let poller = Poller(clock: world.clock)  // ContinuousClock() in the application
/// ```
public struct TestClock: Clock {
    /// A moment in a world.
    public struct Instant: InstantProtocol {
        /// How long after the beginning of the world it is.
        public var offset: Swift.Duration

        /// The moment so long after the beginning.
        public init(offset: Swift.Duration) {
            self.offset = offset
        }

        /// The moment so much later.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How long it is from here to there.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }

        /// Orders moments by time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let air: SimulatedAir

    init(_ air: SimulatedAir) {
        self.air = air
    }

    /// The present.
    public var now: Instant { Instant(offset: air.now - .zero) }

    /// A world tells nanoseconds apart.
    public var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// Waits until the moment has come; throws as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try await air.sleep(for: max(deadline.offset - now.offset, .zero))
    }
}

extension TestWorld {
    /// The time of this world, for code that takes a clock.
    public var clock: TestClock { TestClock(air) }
}
