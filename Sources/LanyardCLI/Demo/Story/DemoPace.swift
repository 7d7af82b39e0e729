// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation
    import LanyardTesting
    import Synchronization

    /// Lets virtual time pass no faster than somebody can follow, and draws while it does. Where nobody
    /// watches it does nothing, and time goes as fast as it can.
    final class DemoPace: Sendable {
        /// The time between two pictures, in real time.
        static let frame = Duration.milliseconds(50)

        /// How many virtual seconds pass in a real one.
        private let speed = Mutex(1.0)
        private let isReal: Bool

        init(isReal: Bool) {
            self.isReal = isReal
        }

        /// From here on so many virtual seconds pass in a real one.
        func set(speed: Double) {
            self.speed.withLock { $0 = speed }
        }

        /// The whole world rests for so long, to let somebody read.
        func rest(_ duration: Duration) {
            guard isReal else { return }
            Self.wait(duration)
        }

        /// Draws and waits, picture by picture, until cancelled.
        func run(in world: TestWorld, _ draw: @escaping @Sendable () throws -> Void) async throws {
            guard isReal else { return }
            var due = ContinuousClock.now
            while !Task.isCancelled {
                try draw()
                try await world.advance(by: Self.frame * speed.withLock { $0 })
                due = max(due + Self.frame, ContinuousClock.now)
                Self.wait(due - ContinuousClock.now)
            }
        }

        /// Keeps the thread of the world, which is what time waits for.
        private static func wait(_ duration: Duration) {
            let (seconds, attoseconds) = max(duration, .zero).components
            Thread.sleep(
                forTimeInterval: Double(seconds) + Double(attoseconds) / 1_000_000_000_000_000_000
            )
        }
    }
#endif
