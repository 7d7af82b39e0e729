// SPDX-License-Identifier: Apache-2.0

/// A policy that chooses which link to end when all connection slots are in use.
///
/// The central calls the policy on the queue of the central when an accessory has to wait, and
/// repeatedly while the accessory waits. The policy must not call the central. If it chooses a
/// link, the central first makes sure that the waiting accessory is in range: if that accessory was
/// not seen for a while, the central scans for it from time to time, and ends the link only when it
/// is seen.
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
    /// Returns the accessory whose link is to be ended in favor of the request, or `nil` if the
    /// request must wait. An accessory that is not among `links` has the same effect as `nil`.
    ///
    /// - Parameters:
    ///   - request: The request of the waiting accessory.
    ///   - links: The existing links that are not already being ended, oldest first.
    func linkToEnd(
        for request: ConnectionRequest,
        among links: [ConnectionHolder]
    ) -> AccessoryIdentity?
}

/// An accessory that waits for a connection slot.
public struct ConnectionRequest: Hashable, Sendable {
    /// The identity of the accessory.
    public var identity: AccessoryIdentity
    /// The name of the accessory (``Accessory/name``); `nil` if it is unknown. In the parameters of
    /// a policy it is always `nil`.
    public var name: String?
    /// The priority from its description. A greater number takes precedence.
    public var priority: Int
    /// The waiting time so far.
    public var waited: Duration
    /// Whether the accessory is being paired for the first time, for which a person usually waits.
    public var isPairing: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - identity: The identity of the accessory.
    ///   - priority: The priority from its description. A greater number takes precedence.
    ///   - waited: The waiting time so far.
    ///   - isPairing: Whether the accessory is being paired for the first time.
    public init(
        identity: AccessoryIdentity,
        priority: Int,
        waited: Duration = .zero,
        isPairing: Bool = false
    ) {
        self.identity = identity
        self.priority = priority
        self.waited = waited
        self.isPairing = isPairing
    }
}

/// An accessory that holds a connection slot.
public struct ConnectionHolder: Hashable, Sendable {
    /// The phase of a slot's use.
    public enum Phase: Hashable, Sendable {
        /// A connection attempt is running.
        case connecting
        /// The accessory is connected.
        case linked
        /// The link, or the attempt to make it, is being ended; the slot is released afterward.
        case ending
    }

    /// The identity of the accessory.
    public var identity: AccessoryIdentity
    /// The name of the accessory (``Accessory/name``); `nil` if it is unknown. In the parameters of
    /// a policy it is always `nil`.
    public var name: String?
    /// The priority from its description.
    public var priority: Int
    /// The phase of the slot's use.
    public var phase: Phase
    /// The time since the slot was granted.
    public var held: Duration
    /// The time since the accessory last sent a value or an answer, or since the link was made if
    /// it has sent nothing.
    public var silence: Duration
    /// The last signal strength (RSSI) in dBm; `nil` if it is unknown.
    public var signal: Int?
    /// Whether the accessory is being paired for the first time, for which a person usually waits.
    public var isPairing: Bool

    /// Creates a holder.
    ///
    /// - Parameters:
    ///   - identity: The identity of the accessory.
    ///   - priority: The priority from its description.
    ///   - phase: The phase of the slot's use.
    ///   - held: The time since the slot was granted.
    ///   - silence: The time since the accessory last sent a value or an answer.
    ///   - signal: The last signal strength (RSSI) in dBm; `nil` if it is unknown.
    ///   - isPairing: Whether the accessory is being paired for the first time.
    public init(
        identity: AccessoryIdentity,
        priority: Int,
        phase: Phase = .linked,
        held: Duration = .zero,
        silence: Duration = .zero,
        signal: Int? = nil,
        isPairing: Bool = false
    ) {
        self.identity = identity
        self.priority = priority
        self.phase = phase
        self.held = held
        self.silence = silence
        self.signal = signal
        self.isPairing = isPairing
    }
}

/// The default policy.
///
/// A link may be ended at once for an accessory of greater priority. It may be ended for one of the
/// same priority if it has had its slot for ``timeSlice``, ten minutes by default, and was silent
/// for ``silenceLimit``, a minute by default. If there are more silent accessories than slots, they
/// thus take turns. Among several such links, the policy chooses the lowest priority, then the
/// longest silence, then the weakest signal.
///
/// A person waits for a first pairing. The pairing therefore gets the slot of a link of the same or
/// a lower priority at once, even if the time slice has not ended and the link was not silent. No
/// link is ended while its accessory is being paired. The accessory that lost its link waits, and
/// gets a slot by the rules above.
public struct StandardConnectionPolicy: ConnectionPolicy {
    /// The minimum of ``timeSlice``; a shorter one has the same effect. Shorter slices would spend
    /// the accessories' batteries on connecting.
    public static let minimumTimeSlice = Duration.seconds(120)

    /// The silence after which a link may be ended for an accessory of the same priority. With zero,
    /// accessories that always send take turns as well.
    public var silenceLimit: Duration
    /// The time for which a link keeps its slot, even if it is silent, before it may be ended for
    /// an accessory of the same priority.
    public var timeSlice: Duration

    /// Creates the policy.
    ///
    /// - Parameters:
    ///   - silenceLimit: The silence after which a link may be ended for an accessory of the same
    ///     priority.
    ///   - timeSlice: The time for which a link keeps its slot, even if it is silent, at least
    ///     ``minimumTimeSlice``.
    public init(
        silenceLimit: Duration = .seconds(60),
        timeSlice: Duration = .seconds(600)
    ) {
        self.silenceLimit = silenceLimit
        self.timeSlice = timeSlice
    }

    /// Returns the accessory whose link the rules of ``StandardConnectionPolicy`` choose; `nil` if
    /// no link may be ended.
    ///
    /// - Parameters:
    ///   - request: The request of the waiting accessory.
    ///   - links: The existing links that are not already being ended.
    public func linkToEnd(
        for request: ConnectionRequest,
        among links: [ConnectionHolder]
    ) -> AccessoryIdentity? {
        links.filter { makesRoom($0, for: request) }.min(by: Self.goesBefore)?.identity
    }

    private func makesRoom(_ link: ConnectionHolder, for request: ConnectionRequest) -> Bool {
        if link.isPairing || link.priority > request.priority { return false }
        if request.isPairing || link.priority < request.priority { return true }
        return link.silence >= silenceLimit && link.held >= max(timeSlice, Self.minimumTimeSlice)
    }

    private static func goesBefore(_ one: ConnectionHolder, _ other: ConnectionHolder) -> Bool {
        if one.priority != other.priority { return one.priority < other.priority }
        if one.silence != other.silence { return one.silence > other.silence }
        return (one.signal ?? .min) < (other.signal ?? .min)
    }
}

/// A policy that ends no link: the first accessories keep their slots.
public struct FirstComeConnectionPolicy: ConnectionPolicy {
    /// Creates the policy.
    public init() {}

    /// Returns `nil`, so the request waits.
    ///
    /// - Parameters:
    ///   - request: The request of the waiting accessory, which is ignored.
    ///   - links: The existing links, which are ignored.
    public func linkToEnd(
        for request: ConnectionRequest,
        among links: [ConnectionHolder]
    ) -> AccessoryIdentity? { nil }
}

extension ConnectionPolicy where Self == StandardConnectionPolicy {
    /// The policy that prefers greater priorities and ends silent links.
    public static var standard: StandardConnectionPolicy { StandardConnectionPolicy() }
}

extension ConnectionPolicy where Self == FirstComeConnectionPolicy {
    /// The policy that ends no link.
    public static var firstCome: FirstComeConnectionPolicy { FirstComeConnectionPolicy() }
}
