// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// Why a virtual air could not do what it was asked for, with what it takes to see it again.
public struct VirtualAirError: Error, Sendable {
    /// What is wrong.
    public enum Problem: Hashable, Sendable {
        /// The world has no room for another controller.
        case worldIsFull
        /// The body waits, and nothing will ever happen any more.
        case stalled
        /// The body was not done in this much virtual time.
        case boundReached(Duration)
        /// More and more is to be done at one instant.
        case endless
    }

    /// What is wrong.
    public let problem: Problem
    /// The seed of the world.
    public let seed: UInt64
    /// When it was.
    public let instant: Instant
    /// What goes wrong on purpose, by the name of the controller.
    public let faults: [String: FaultPlan]

    init(_ problem: Problem, in world: World) {
        self.problem = problem
        seed = world.seed
        instant = world.now
        let faulty = world.status.controllers.filter { $0.faults != .none }
        faults = Dictionary(faulty.map { ($0.label, $0.faults) }) { first, _ in first }
    }
}

extension VirtualAirError: CustomStringConvertible {
    /// What is wrong, and the seed, the time and the faults with which it was.
    public var description: String {
        let plans = faults.sorted { $0.key < $1.key }.map { "; \($0.key) has \($0.value)" }
        return "\(complaint) (seed \(seed), at \(instant - .zero)\(plans.joined()))"
    }

    private var complaint: String {
        switch problem {
        case .worldIsFull: "the world has no room for another controller"
        case .stalled: "the body waits for something that will never come: nothing is due any more"
        case .boundReached(let bound): "the body is not done within \(bound) of virtual time"
        case .endless: "there is no end to what is to be done at one instant"
        }
    }
}
