// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// An advertiser, which decides the advertising commands of one controller.
///
/// Like `CentralScheduler`, the advertiser compares the requested state with the presumed state of
/// the controller, and issues one operation at a time.
///
/// Terms:
/// - A *set* is one request to advertise. A controller with the extended commands holds several
///   sets under handles that the advertiser chooses. A legacy controller holds one set.
/// - A set is *in force* when the controller advertises as requested, or when only the limit of
///   links or another activity of the controller prevents it.
/// - The *configuration* of a set contains the parameters of all commands for the set on the
///   current controller.
///
/// Rules:
/// 1. Every set ends exactly once, with `ended`. Until then, the advertiser continues to request
///    it, whatever the controller does.
/// 2. A connection stops the set through which the peer connected. The advertiser starts the set
///    again at once, or when the controller has room for another link. Directed sets, and sets that
///    do not continue after a connection, end instead.
/// 3. If the controller has no room for another link, or stops a set unexpectedly, the set backs
///    off (`backoffMinimum`, doubling to `backoffMaximum`) and is tried again. After refusals that
///    no rule names, the set ends.
/// 4. Command Disallowed, and a command without an answer, mean that the controller and the
///    advertiser may disagree about the state, so the advertiser stops the set and begins again. A
///    set that the controller does not know is created again. After `refusalLimit` attempts in a
///    row, a set that was in force backs off, and any other set ends. A set counts as off the air
///    when the controller has answered Disable. The advertiser repeats a Disable without an answer,
///    and asks for a reset of the controller (`unstoppable`) after `unansweredStopLimit` unanswered
///    Disables in a row.
/// 5. A duration counts from the first time that the set is on the air, on the host's clock, and
///    includes interruptions. The controller gets the remaining duration.
/// 6. Advertising yields to links, scanning and initiating that the controller does not support at
///    the same time, and returns when they end.
/// 7. Between `hold` and `release`, no set is on the air.
/// 8. A set has its own address if the host is private and the controller has several addresses.
///    All addresses change at the same time (`changeAddresses`).
/// 9. After `reset`, all sets stay requested, and are advertised again after the next `configure`.
///
/// The advertiser does not manage the links that result from advertising.
package struct Advertiser: Sendable {
    /// The identifier of a set, which the caller chooses.
    package typealias SetID = UInt64

    package enum Action: Equatable, Sendable {
        /// Send the command, and pass its result to `commandFinished` with the step.
        case command(HCI.EncodedCommand, AdvertisingStep)
        /// The set is in force, and its data has this layout.
        case inForce(SetID, AdvertisingLayout)
        case ended(SetID, AdvertisingEnd)
        /// Whether the advertiser needs the Filter Accept List from now on. Call
        /// `acceptListGranted` when nothing else uses the list.
        case needsAcceptList(Bool)
        /// No set is on the air until `release`. This is the answer to `hold`.
        case quiet
        /// Reset the controller: it does not answer Disable, so a set may stay on the air.
        case unstoppable
    }

    /// The maximum number of sets. Advertising handles end at 0xEF (Vol 4, Part E, 7.8.53).
    package static let setLimit = 0xF0
    /// The maximum number of data bytes in one command (Vol 4, Part E, 7.8.54).
    static let pieceLimit = 251
    /// The longest time of high duty cycle directed advertising (Vol 6, Part B, 4.4.2.4.3).
    static let highDutyLimit: Duration = .milliseconds(1280)
    /// The longest duration that a command can carry (Vol 4, Part E, 7.8.56).
    static let controllerDurationLimit: Duration = .milliseconds(655_350)
    /// The time after the end of an extended set's duration at which the host ends the set, if the
    /// controller has not ended it.
    static let endGrace: Duration = .seconds(1)
    /// The time for which the advertiser waits after a connection for LE Advertising Set
    /// Terminated, which contains the handle of the set. After that time, the advertiser starts all
    /// sets again that may have led to the connection.
    static let terminationLimit: Duration = .seconds(1)
    /// The back-off of a set after its first failure.
    static let backoffMinimum: Duration = .milliseconds(250)
    /// The longest back-off of a set. If the set waits for the end of a link, its back-off ends
    /// with the next link that ends.
    static let backoffMaximum: Duration = .seconds(4)
    /// The number of failed operations in a row after which the set backs off or ends.
    static let refusalLimit = 3
    /// The number of unanswered Disables in a row after which the controller needs a reset.
    static let unansweredStopLimit = 3

    var sets: [AdvertisingSetState] = []
    var admissions = AdvertisingAdmissions()
    var dialect: CommandDialect?
    var pause = Pause.none
    /// The activities of the controller besides advertising.
    var activities: ControllerActivities = []
    /// The transmit power of each set, in dBm, as far as the controller has reported it.
    var power: [UInt8: Int8] = [:]
    /// The number of connections for which LE Advertising Set Terminated has not arrived yet.
    var unnamedConnectionCount = 0
    /// The time at which the wait for these events ends.
    var terminationDueAt: Instant?
    var outstanding: AdvertisingStep?
    /// The number of Disables in a row without an answer.
    var unansweredStopCount = 0
    var stepCount: UInt64 = 0
    var outbox: [Action] = []

    package init() {}

    /// Whether a central may be connecting through a set on another PHY than LE 1M.
    package var mayConnectOnOtherPHY: Bool {
        sets.contains { set in
            set.mayConnect && set.presumed.parameters.map { $0.secondaryPHY != .le1M } ?? false
        }
    }

    /// Whether a connectable set is requested, so that the host accepts connections.
    package var awaitsConnections: Bool {
        sets.contains { $0.isRequested && $0.requested.isConnectable }
    }

    /// Returns the address on the air of the set that led to a link.
    ///
    /// - Parameter handle: The handle of the set. With `nil`, the first set that may have led to
    ///   the link counts.
    /// - Returns: The address, or `nil` if no set may have led to the link, or if the address is
    ///   unknown because the controller makes it.
    package func address(connectedBy handle: UInt8?) -> DeviceAddress? {
        sets.first { handle == nil ? $0.mayConnect : $0.handle == handle }
            .flatMap { dialect?.address(of: $0.presumed) }
    }

    // MARK: - Requests

    /// Begins the requested advertising with a controller that is ready, for the first time or
    /// after a `reset`.
    ///
    /// - Parameter setAddress: The closure that makes an address for each set. If it returns `nil`,
    ///   the set has the host's address.
    package mutating func configure(
        _ capabilities: ControllerCapabilities,
        ownAddress: DeviceAddress,
        setAddress: () -> DeviceAddress? = { nil },
        now: Instant
    ) -> [Action] {
        let dialect = CommandDialect(capabilities, ownAddress: ownAddress)
        self.dialect = dialect
        for index in sets.indices { sets[index].ownAddress = setAddress() }
        admissions.list = AcceptListModel(capacity: capabilities.filterAcceptListSize)
        for index in sets.indices where sets[index].isRequested {
            if sets.prefix(index).count(where: \.isRequested) >= dialect.advertisingSetLimit {
                sets[index].end = .failed(.tooManySets(limit: dialect.advertisingSetLimit))
            } else {
                prepare(index)
            }
        }
        return settle(now: now)
    }

    /// Requests a set.
    ///
    /// - Parameters:
    ///   - id: An identifier that no earlier set had.
    ///   - address: The set's own address. With `nil`, the set has the host's address.
    package mutating func add(
        _ id: SetID,
        _ advertising: Advertising,
        address: DeviceAddress? = nil,
        now: Instant
    ) -> [Action] {
        precondition(!sets.contains { $0.id == id }, "another set has this identifier")
        let limit = min(dialect?.advertisingSetLimit ?? Self.setLimit, Self.setLimit)
        guard sets.count(where: \.isRequested) < limit, let handle = freeHandle else {
            return [.ended(id, .failed(.tooManySets(limit: limit)))]
        }
        sets.append(AdvertisingSetState(id: id, handle: handle, requested: advertising))
        sets[sets.count - 1].ownAddress = address
        prepare(sets.count - 1)
        return settle(now: now)
    }

    /// Replaces the request of a set. The action `inForce` follows when the new request is in
    /// force. A set that has ended does not change.
    ///
    /// - Throws: The reason why the controller cannot fulfill the request. The set stays unchanged.
    package mutating func update(
        _ id: SetID,
        _ advertising: Advertising,
        now: Instant
    ) throws(AdvertisingError) -> [Action] {
        guard let index = sets.firstIndex(where: { $0.id == id && $0.isRequested }) else {
            return []
        }
        if let dialect {
            let known = power[sets[index].handle]
            sets[index].configuration = try Advertiser.SetConfiguration(
                advertising,
                in: dialect,
                address: sets[index].ownAddress,
                power: known
            )
        }
        sets[index].replaceRequest(with: advertising)
        sets[index].isAnnounced = false
        sets[index].refusalCount = 0
        return settle(now: now)
    }

    /// Ends a set. The action `ended` follows when the set is off the air. A set that has ended
    /// does not change.
    package mutating func remove(
        _ id: SetID,
        because end: AdvertisingEnd = .stopped,
        now: Instant
    ) -> [Action] {
        for index in sets.indices where sets[index].id == id && sets[index].isRequested {
            sets[index].end = end
        }
        return settle(now: now)
    }

    /// Changes the addresses of the host and of each set.
    ///
    /// Sets on the air are stopped for the change. Before this call, the caller makes the changes
    /// that the controller forbids during advertising, between `hold` and `release`.
    package mutating func changeAddresses(
        toHost ownAddress: DeviceAddress,
        setAddress: () -> DeviceAddress?,
        now: Instant
    ) -> [Action] {
        guard let dialect else { return [] }
        self.dialect = CommandDialect(dialect.capabilities, ownAddress: ownAddress)
        for index in sets.indices {
            sets[index].ownAddress = setAddress()
            if sets[index].isRequested { prepare(index) }
        }
        return settle(now: now)
    }

    /// Takes all sets off the air until `release`, for a change that the controller forbids during
    /// advertising. The action `quiet` follows when they are off the air.
    package mutating func hold(now: Instant) -> [Action] {
        if pause == .none { pause = .asked }
        return settle(now: now)
    }

    /// Resumes the advertising that `hold` interrupted.
    package mutating func release(now: Instant) -> [Action] {
        pause = .none
        return settle(now: now)
    }

    /// Forgets the state of a controller that was reset or lost.
    ///
    /// Call this before the commands to the controller are discarded. The outstanding operation
    /// then needs no answer, and no new operation follows.
    package mutating func reset(now: Instant) -> [Action] {
        dialect = nil
        outstanding = nil
        unansweredStopCount = 0
        pause = .none
        power = [:]
        unnamedConnectionCount = 0
        terminationDueAt = nil
        for index in sets.indices { sets[index].forgetController() }
        return settle(now: now)
    }

    // MARK: - Sets

    /// The smallest handle that no set has. Sets that are being removed keep theirs.
    private var freeHandle: UInt8? {
        (0..<UInt8(Self.setLimit)).first { handle in !sets.contains { $0.handle == handle } }
    }

    /// Makes the configuration of a set, if there is a controller.
    mutating func prepare(_ index: Int) {
        guard let dialect else { return }
        do throws(AdvertisingError) {
            let known = power[sets[index].handle]
            sets[index].configuration = try Advertiser.SetConfiguration(
                sets[index].requested,
                in: dialect,
                address: sets[index].ownAddress,
                power: known
            )
        } catch {
            sets[index].end = .failed(error)
        }
    }
}

extension AdvertisingSetState {
    /// Replaces the request. A change of the duration or of the number of events needs another
    /// Enable, which contains them.
    fileprivate mutating func replaceRequest(with advertising: Advertising) {
        if requested.duration != advertising.duration {
            endsAt = nil
            needsRefresh = true
        }
        if requested.eventLimit != advertising.eventLimit {
            eventsLeft = advertising.eventLimit.map { max(1, Int($0)) }
            needsRefresh = true
        }
        requested = advertising
    }

    fileprivate mutating func forgetController() {
        presumed = PresumedState()
        configuration = nil
        activity = .off
        needsRefresh = false
        hasEndedWhileEnabling = false
        refusalCount = 0
        failureCount = 0
        backoffEnd = nil
        isWaitingForLink = false
    }
}
