// SPDX-License-Identifier: Apache-2.0

/// Decides which link has to make room where all connection slots are taken.
///
/// It is asked on the central's queue, when an accessory has to wait, and now and then while it waits. It
/// must not call back.
///
/// ```swift
/// struct KeepTheStrap: ConnectionPolicy {
///     func linkToEnd(for request: ConnectionRequest, among links: [ConnectionHolder])
///         -> AccessoryIdentity?
///     {
///         links.filter { $0.priority < 10 }.max { $0.silence < $1.silence }?.identity
///     }
/// }
/// ```
public protocol ConnectionPolicy: Sendable {
    /// The accessory whose link is to be ended for the sake of the request; nil if it has to wait.
    /// `links` are those that exist and are not already being ended, in the order in which they were made.
    func linkToEnd(
        for request: ConnectionRequest,
        among links: [ConnectionHolder]
    ) -> AccessoryIdentity?
}

/// An accessory that needs a connection slot and finds none.
public struct ConnectionRequest: Hashable, Sendable {
    /// Which accessory.
    public var identity: AccessoryIdentity
    /// The priority in its description: the greater goes first.
    public var priority: Int
    /// How long it has waited.
    public var waited: Duration

    /// A request.
    public init(identity: AccessoryIdentity, priority: Int, waited: Duration = .zero) {
        self.identity = identity
        self.priority = priority
        self.waited = waited
    }
}

/// Who has a connection slot.
public struct ConnectionHolder: Hashable, Sendable {
    /// What becomes of the slot.
    public enum Phase: Hashable, Sendable {
        /// The accessory is being connected to.
        case dialling
        /// It is connected.
        case linked
        /// Its link is being ended: the slot is given back when that is done.
        case ending
    }

    /// Which accessory.
    public var identity: AccessoryIdentity
    /// The priority in its description.
    public var priority: Int
    /// What becomes of the slot.
    public var phase: Phase
    /// How long it has had the slot.
    public var held: Duration
    /// How long ago something came from it: a value, or an answer.
    public var silence: Duration
    /// How strongly it was last received, in dBm; nil if that is not known.
    public var signal: Int?

    /// A holder.
    public init(
        identity: AccessoryIdentity,
        priority: Int,
        phase: Phase = .linked,
        held: Duration = .zero,
        silence: Duration = .zero,
        signal: Int? = nil
    ) {
        self.identity = identity
        self.priority = priority
        self.phase = phase
        self.held = held
        self.silence = silence
        self.signal = signal
    }
}

/// What a Lanyard does if nothing else is said: a link makes room for an accessory of greater priority at
/// any time, and for one of the same priority if nothing came from it for a minute. Of several, the one
/// with the least priority does; among those, the one that is silent longest; then the weakest.
public struct StandardConnectionPolicy: ConnectionPolicy {
    /// How long a link has to be silent to make room for an accessory of the same priority.
    public var silenceLimit: Duration

    /// The policy.
    public init(silenceLimit: Duration = .seconds(60)) {
        self.silenceLimit = silenceLimit
    }

    /// The link that comes first in the order above, of those that have to make room.
    public func linkToEnd(
        for request: ConnectionRequest,
        among links: [ConnectionHolder]
    ) -> AccessoryIdentity? {
        links.filter { makesRoom($0, for: request) }.min(by: Self.goesBefore)?.identity
    }

    private func makesRoom(_ link: ConnectionHolder, for request: ConnectionRequest) -> Bool {
        link.priority < request.priority
            || link.priority == request.priority && link.silence >= silenceLimit
    }

    private static func goesBefore(_ one: ConnectionHolder, _ other: ConnectionHolder) -> Bool {
        if one.priority != other.priority { return one.priority < other.priority }
        if one.silence != other.silence { return one.silence > other.silence }
        return (one.signal ?? .min) < (other.signal ?? .min)
    }
}

/// No link makes room: who comes first, stays.
public struct FirstComeConnectionPolicy: ConnectionPolicy {
    /// The policy.
    public init() {}

    /// None.
    public func linkToEnd(
        for request: ConnectionRequest,
        among links: [ConnectionHolder]
    ) -> AccessoryIdentity? { nil }
}

extension ConnectionPolicy where Self == StandardConnectionPolicy {
    /// Greater priorities first; those that are silent make room.
    public static var standard: StandardConnectionPolicy { StandardConnectionPolicy() }
}

extension ConnectionPolicy where Self == FirstComeConnectionPolicy {
    /// No link makes room.
    public static var firstCome: FirstComeConnectionPolicy { FirstComeConnectionPolicy() }
}
