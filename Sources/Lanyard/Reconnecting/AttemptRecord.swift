// SPDX-License-Identifier: Apache-2.0

/// What became of one attempt to get an accessory ready.
public struct AttemptRecord: Hashable, Sendable {
    /// How it was tried.
    public enum Approach: Hashable, Sendable {
        /// With a time-out: the accessory was just seen.
        case dial
        /// Without: it was waited for.
        case standing
        /// Over a link that the system kept.
        case restored
        /// Over the link that there was: the accessory had changed.
        case renewal
    }

    /// What an attempt does, one after the other.
    public enum Phase: Int, Hashable, Sendable, Comparable, CaseIterable {
        /// It waits until there is room for a link.
        case waitingForSlot
        /// It connects.
        case connecting
        /// It looks up services.
        case discoveringServices
        /// It looks up characteristics.
        case discoveringCharacteristics
        /// It subscribes.
        case subscribing
        /// It reads what only paired devices may.
        case pairing
        /// It ends the link that was of no use.
        case ending

        /// Whether one comes before another.
        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// How long a phase took.
    public struct Step: Hashable, Sendable {
        /// Which phase.
        public let phase: Phase
        /// How long it took.
        public let duration: Duration

        /// A phase that took so long.
        public init(_ phase: Phase, _ duration: Duration) {
            self.phase = phase
            self.duration = duration
        }
    }

    /// How many links there are, and may be.
    public struct Slots: Hashable, Sendable {
        /// How many there are.
        public let inUse: Int
        /// How many there may be, if that is known.
        public let limit: Int?

        /// So many.
        public init(inUse: Int, limit: Int?) {
            self.inUse = inUse
            self.limit = limit
        }
    }

    /// What comes after it.
    public enum Next: Hashable, Sendable {
        /// Nothing more is needed: the accessory is ready.
        case ready
        /// It can be used but for what is protected, until it is paired.
        case pairing
        /// Another attempt, after so long.
        case dial(after: Duration)
        /// The accessory is waited for, after so long.
        case standing(after: Duration)
        /// The system waits for it.
        case system
        /// It waits until there is room for a link.
        case slot
        /// Nothing: the application wishes so, or it would not help.
        case rest(IdleReason)
        /// It goes on when Bluetooth is available.
        case bluetooth
    }

    /// Which one of the accessory's since the process started, from 1.
    public let number: Int
    /// How it was tried.
    public let approach: Approach
    /// When it began, in the time of the one who keeps it: `AccessoryCentral` counts from some moment.
    public let began: Duration
    /// What it did, and how long that took.
    public let steps: [Step]
    /// Why it failed, if it did.
    public let failure: LinkFailure?
    /// How many links there were.
    public let slots: Slots?
    /// How strongly the accessory was last received, in dBm.
    public let rssi: Int?
    /// What comes after it.
    public let next: Next

    /// How far it came.
    public var reached: Phase? { steps.map(\.phase).filter { $0 != .ending }.max() }
    /// How long all of it took.
    public var duration: Duration { steps.reduce(.zero) { $0 + $1.duration } }
}
