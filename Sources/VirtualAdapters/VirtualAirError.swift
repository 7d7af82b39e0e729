// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// Why a virtual air could not do what it was asked for, with what it takes to see it again.
public struct VirtualAirError: Error, Sendable {
    /// What is wrong.
    public enum Problem: Hashable, Sendable {
        /// The body waits, and nothing will ever happen any more.
        case stalled
        /// The body was not done in this much virtual time.
        case boundReached(Duration)
        /// Something that hosts have others do, on queues of theirs, is not done in real time: so many
        /// things of that kind.
        case outsideWork(Int)
        /// More and more is to be done at one instant.
        case endless
    }

    /// What is wrong.
    public let problem: Problem
    /// The seed of the world.
    public let seed: UInt64
    /// When it was.
    public let instant: Instant
    /// The world in words: its seed, the instant, and what went wrong on purpose.
    public let world: String

    init(_ problem: Problem, in world: World) {
        self.problem = problem
        seed = world.seed
        instant = world.now
        self.world = world.description
    }
}

extension VirtualAirError: CustomStringConvertible {
    /// What is wrong, and in which world: seed, time and faults.
    public var description: String { "\(complaint), in \(world)" }

    private var complaint: String {
        switch problem {
        case .stalled: "the body waits for something that will never come: nothing is due any more"
        case .boundReached(let bound): "the body is not done within \(bound) of virtual time"
        case .outsideWork(let count):
            "time stands still for \(count) things that others do, and they do not get done"
        case .endless: "there is no end to what is to be done at one instant"
        }
    }
}
