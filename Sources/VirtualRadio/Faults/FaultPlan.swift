// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// All that goes wrong with one controller beyond what physics does: what it hears, what passes
/// between it and its host, and itself.
///
/// ```swift
/// var faults = FaultPlan()
/// faults.toHost = .init(fixed: .milliseconds(5), jitter: .milliseconds(20))
/// faults.events.dropProbability = 0.01
/// faults.hang = .init(.afterCommands(40), radioGoesOn: true)
/// ```
///
/// What a plan does depends on the world's seed and on nothing else. Print both when a test fails:
/// the description of a `World` has them.
public struct FaultPlan: Hashable, Sendable {
    /// What is lost of what it hears.
    public var loss: LossPlan
    /// How much longer than no time the host's packets take to the controller. They stay in order.
    public var toController = WireLatency.none
    /// How much longer than no time the controller's packets take to the host. They stay in order.
    public var toHost = WireLatency.none
    /// What happens to events on their way to the host, answers to commands included. Data is
    /// spared.
    public var events = EventFaults.none
    /// When the controller stops to listen to its host and to speak to it; nil for never.
    public var hang: Hang?
    /// When the controller starts anew by itself: all its state is lost, links end in silence, and
    /// its host is told with Hardware Error, code 0x03. A controller that hangs comes back by it,
    /// as by a watchdog. Nil for never.
    public var restart: Instant?
    /// When the controller says that its hardware fails, while it goes on as if nothing was; nil for
    /// never.
    public var hardwareError: HardwareFault?

    /// The plan with these losses, and nothing else yet.
    public init(loss: LossPlan = .none) {
        self.loss = loss
    }

    /// Nothing goes wrong.
    public static let none = FaultPlan()
}

/// How long packets take from one end of the wire to the other.
public struct WireLatency: Hashable, Sendable {
    /// What each takes at least.
    public var fixed: Duration
    /// What comes to that at most: a part of it, each time another, all parts equally likely. A
    /// packet that would overtake arrives together with the one before.
    public var jitter: Duration

    /// This latency.
    public init(fixed: Duration = .zero, jitter: Duration = .zero) {
        self.fixed = fixed
        self.jitter = jitter
    }

    /// No time at all.
    public static let none = WireLatency()
}

/// What happens to events on the wire. All probabilities are from 0 to 1, for each event by itself.
public struct EventFaults: Hashable, Sendable {
    /// The probability that an event is lost.
    public var dropProbability = 0.0
    /// The probability that an event comes twice, one right after the other.
    public var duplicateProbability = 0.0
    /// The probability that an event is delayed by `delay`, while later ones overtake it.
    public var delayProbability = 0.0
    /// How long a delayed event takes beyond what it takes anyway.
    public var delay = Duration.milliseconds(100)
    /// The probability that bits of an event are flipped: of its code or its parameters. The
    /// framing stays right.
    public var corruptProbability = 0.0
    /// How many bits are flipped then, at most: two flips of the same bit undo each other.
    public var corruptBitCount = 1

    /// Events that nothing happens to, until something is set.
    public init() {}

    /// Nothing happens to events.
    public static let none = EventFaults()
}

/// How a controller stops to work with its host: it says nothing any more, and takes nothing in.
public struct Hang: Hashable, Sendable {
    /// What makes a controller hang.
    public enum Trigger: Hashable, Sendable {
        /// The instant, in the time of the world.
        case at(Instant)
        /// So many commands: the last of them is still answered. They are counted from power-on.
        case afterCommands(Int)
    }

    /// What makes the controller hang.
    public var trigger: Trigger
    /// Whether it goes on with the air: it advertises, keeps its links alive and acknowledges data,
    /// which it throws away. Otherwise it is as silent there, and peers lose their links.
    public var radioGoesOn: Bool

    /// This hang.
    public init(_ trigger: Trigger, radioGoesOn: Bool) {
        self.trigger = trigger
        self.radioGoesOn = radioGoesOn
    }
}

/// A Hardware Error out of nothing.
public struct HardwareFault: Hashable, Sendable {
    /// When, in the time of the world.
    public var instant: Instant
    /// What the event says.
    public var code: UInt8

    /// The event with that code, at that instant.
    public init(at instant: Instant, code: UInt8) {
        self.instant = instant
        self.code = code
    }
}
