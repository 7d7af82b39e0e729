// SPDX-License-Identifier: Apache-2.0

/// The record of one attempt to make an accessory ready.
public struct AttemptRecord: Hashable, Sendable {
    /// The kind of an attempt.
    public enum Approach: Hashable, Sendable {
        /// A connection request with a timeout.
        case direct
        /// A pending connection request without a timeout.
        case pending
        /// An attempt on a link that the system preserved.
        case restored
        /// An attempt on the existing link, for example after the accessory changed its services.
        case renewal
    }

    /// A phase of an attempt.
    public enum Phase: Int, Hashable, Sendable, Comparable, CaseIterable {
        /// Waiting for a connection slot.
        case waitingForSlot
        /// Connecting.
        case connecting
        /// Discovering services.
        case discoveringServices
        /// Discovering characteristics.
        case discoveringCharacteristics
        /// Subscribing.
        case subscribing
        /// Reading the protected characteristic.
        case pairing
        /// Ending a link, or an attempt to make it.
        case ending

        /// Returns whether a phase precedes another one.
        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// A phase with its duration.
    public struct Step: Hashable, Sendable {
        /// The phase.
        public let phase: Phase
        /// The duration of the phase.
        public let duration: Duration

        /// Creates a step.
        ///
        /// - Parameters:
        ///   - phase: The phase.
        ///   - duration: The duration of the phase.
        public init(_ phase: Phase, _ duration: Duration) {
            self.phase = phase
            self.duration = duration
        }
    }

    /// The number of links and their limit.
    public struct Slots: Hashable, Sendable {
        /// The number of links.
        public let inUse: Int
        /// The limit, if it is known.
        public let limit: Int?

        /// Creates a value with these numbers.
        ///
        /// - Parameters:
        ///   - inUse: The number of links.
        ///   - limit: The limit; `nil` if it is unknown.
        public init(inUse: Int, limit: Int?) {
            self.inUse = inUse
            self.limit = limit
        }
    }

    /// The step after an attempt.
    public enum Next: Hashable, Sendable {
        /// No step is needed, because the accessory is ready.
        case ready
        /// The pairing of the accessory. Until then, the accessory is usable except for its
        /// protected values.
        case pairing
        /// Another attempt after this time.
        case connect(after: Duration)
        /// A pending connection request, which takes effect after this time.
        case pending(after: Duration)
        /// A reconnection by the system.
        case system
        /// Another attempt when a connection slot is free.
        case slot
        /// No further attempt, for this reason.
        case rest(IdleReason)
        /// Another attempt when Bluetooth is available.
        case bluetooth
    }

    /// The number of the attempt. The attempts of an accessory count from 1 in each process, and
    /// from 1 again for each pairing.
    public let number: Int
    /// The kind of the attempt.
    public let approach: Approach
    /// The start of the attempt, on the clock of the central, whose zero point is arbitrary.
    public let began: Duration
    /// The phases with their durations.
    public let steps: [Step]
    /// The reason for the failure, if the attempt failed.
    public let failure: LinkFailure?
    /// The number of links, and their limit, when the accessory last had to wait for a connection
    /// slot; `nil` if it never had to.
    public let slots: Slots?
    /// The last signal strength (RSSI) of the accessory, in dBm; `nil` if it is unknown.
    public let rssi: Int?
    /// The next step.
    public let next: Next

    /// The furthest phase that the attempt reached, except ``Phase/ending``; `nil` if it reached
    /// none.
    public var reached: Phase? { steps.map(\.phase).filter { $0 != .ending }.max() }
    /// The duration of the whole attempt.
    public var duration: Duration { steps.reduce(.zero) { $0 + $1.duration } }
}
