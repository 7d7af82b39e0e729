// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation
    import LanyardTesting
    import Synchronization

    /// A pace that slows virtual time so that a person can read the output, and draws the scene
    /// meanwhile. Without a terminal, or with `--fast`, it does nothing, and time passes as fast as
    /// possible.
    final class DemoPace: Sendable {
        /// The real time between two drawings.
        static let frame = Duration.milliseconds(50)

        /// The virtual seconds that pass in a real second.
        private let speed = Mutex(1.0)
        private let isReal: Bool

        init(isReal: Bool) {
            self.isReal = isReal
        }

        /// Sets the virtual seconds that pass in a real second from now on.
        func set(speed: Double) {
            self.speed.withLock { $0 = speed }
        }

        /// Stops the world for a real duration, so that a person can read.
        func rest(_ duration: Duration) {
            guard isReal else { return }
            Self.wait(duration)
        }

        /// Draws and waits, frame by frame, until the task is canceled.
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

        /// Blocks the thread of the world, so that virtual time stops.
        private static func wait(_ duration: Duration) {
            Thread.sleep(forTimeInterval: max(duration, .zero).inSeconds)
        }
    }
#endif
