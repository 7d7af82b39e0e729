// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// An error of a virtual air, with the values that reproduce it.
public struct VirtualAirError: Error, Sendable {
    /// The kind of error.
    public enum Problem: Hashable, Sendable {
        /// The body waits, and no event is due that could end its wait.
        case stalled
        /// The body did not end in this much virtual time.
        case boundReached(Duration)
        /// Work of hosts on other queues did not end within the timeout, in real time. The value is
        /// the number of unfinished units of work.
        case outsideWork(Int)
        /// The work of one instant does not end.
        case endless
        /// The system has no task executors, without which code would run outside of virtual time.
        /// They need iOS 18, macOS 15 or visionOS 2.
        case systemTooOld
    }

    /// The kind of error.
    public let problem: Problem
    /// The seed of the world.
    public let seed: UInt64
    /// The instant of the error.
    public let instant: Instant
    /// The description of the world: its seed, the instant, and the faults.
    public let world: String

    init(_ problem: Problem, in world: World) {
        self.problem = problem
        seed = world.seed
        instant = world.now
        self.world = world.description
    }
}

extension VirtualAirError: CustomStringConvertible {
    /// The error and its world: seed, time and faults.
    public var description: String { "\(problemText), in \(world)" }

    private var problemText: String {
        switch problem {
        case .stalled: "the body waits, and no event is due that could end its wait"
        case .boundReached(let bound): "the body is not done within \(bound) of virtual time"
        case .outsideWork(let count):
            "\(count) units of work outside the simulation do not end, so virtual time stops"
        case .endless: "the work at one instant does not end"
        case .systemTooOld:
            "virtual time needs iOS 18, macOS 15 or visionOS 2: run the tests on a newer system"
        }
    }
}
