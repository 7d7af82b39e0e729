// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The faults of one controller that are added to the physical model: in reception, on the wire to
/// its host, and in the controller itself.
///
/// ```swift
/// var faults = FaultPlan()
/// faults.toHost = .init(fixed: .milliseconds(5), jitter: .milliseconds(20))
/// faults.events.dropProbability = 0.01
/// faults.hang = .init(.afterCommands(40), radioGoesOn: true)
/// ```
///
/// The random choices of a plan follow from the world's seed. Print the seed and the plans when a
/// test fails: the description of a `World` contains them.
public struct FaultPlan: Hashable, Sendable {
    /// The loss of packets that the controller receives over the radio.
    public var loss: LossPlan
    /// The latency of packets from the host to the controller, which stay in order.
    public var toController = WireLatency.none
    /// The latency of packets from the controller to the host, which stay in order, except events
    /// that `events` delays.
    public var toHost = WireLatency.none
    /// The faults of events on their way to the host, including answers to commands. Data has no
    /// such faults.
    public var events = EventFaults.none
    /// The hang in which the controller exchanges nothing with its host; `nil` for none.
    public var hang: Hang?
    /// The instant at which the controller restarts without a command; `nil` for none. It loses its
    /// state, its links end without any packet, and its host gets a Hardware Error with code 0x03.
    /// The restart also ends a hang, as a watchdog would.
    public var restart: Instant?
    /// The Hardware Error that the controller reports although it continues to work; `nil` for
    /// none.
    public var hardwareError: HardwareFault?

    /// Creates a plan with these losses and no other fault.
    public init(loss: LossPlan = .none) {
        self.loss = loss
    }

    /// A plan without faults.
    public static let none = FaultPlan()
}

/// The latency of packets from one end of the wire to the other.
public struct WireLatency: Hashable, Sendable {
    /// The minimum latency of each packet.
    public var fixed: Duration
    /// The largest addition to `fixed`. The addition of each packet is uniformly distributed from 0
    /// to this value. A packet that would overtake an earlier one arrives together with it.
    public var jitter: Duration

    /// Creates a latency.
    public init(fixed: Duration = .zero, jitter: Duration = .zero) {
        self.fixed = fixed
        self.jitter = jitter
    }

    /// No latency.
    public static let none = WireLatency()
}

/// The faults of events on the wire. Each probability is from 0 to 1, and applies to each event
/// independently.
public struct EventFaults: Hashable, Sendable {
    /// The probability that an event is lost.
    public var dropProbability = 0.0
    /// The probability that an event arrives twice, if it is not lost.
    public var duplicateProbability = 0.0
    /// The probability that an event is delayed by `delay`, so that later events can overtake it.
    public var delayProbability = 0.0
    /// The additional latency of a delayed event.
    public var delay = Duration.milliseconds(100)
    /// The probability that bits of an event's code or parameters are flipped. The framing stays
    /// correct.
    public var corruptProbability = 0.0
    /// The number of flips in a corrupted event, at most 64. Two flips of the same bit cancel each
    /// other.
    public var corruptBitCount = 1

    /// Creates faults with all probabilities 0.
    public init() {}

    /// No faults of events.
    public static let none = EventFaults()
}

/// A hang of a controller, in which it neither sends anything to its host nor accepts anything from
/// it.
public struct Hang: Hashable, Sendable {
    /// The cause of a hang.
    public enum Trigger: Hashable, Sendable {
        /// An instant, in the time of the world.
        case at(Instant)
        /// A number of commands since power-on, or since the plan was set. The controller still
        /// answers the last of them.
        case afterCommands(Int)
    }

    /// The cause of the hang.
    public var trigger: Trigger
    /// Whether the radio continues: it advertises, keeps its links alive and acknowledges data,
    /// which it discards. Otherwise it is silent, and peers lose their links.
    public var radioGoesOn: Bool

    /// Creates a hang.
    public init(_ trigger: Trigger, radioGoesOn: Bool) {
        self.trigger = trigger
        self.radioGoesOn = radioGoesOn
    }
}

/// A Hardware Error event without a cause.
public struct HardwareFault: Hashable, Sendable {
    /// The instant of the event, in the time of the world.
    public var instant: Instant
    /// The code of the event.
    public var code: UInt8

    /// Creates an event with the code at the instant.
    public init(at instant: Instant, code: UInt8) {
        self.instant = instant
        self.code = code
    }
}
