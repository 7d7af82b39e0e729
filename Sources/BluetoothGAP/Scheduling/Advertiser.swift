// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The one arbiter of advertising on a controller, beside `CentralScheduler`, and in its manner: it
/// compares what is wanted with what it believes the controller to be doing, and issues the one order
/// that comes next.
///
/// Terms:
/// - A *set* is one wish to advertise. A controller that speaks the extended commands holds several,
///   by handles which are chosen here; a legacy one holds one.
/// - It is *in force* when the controller advertises as it says, or would but for a link to spare or
///   for something that it cannot do at the same time.
/// - Its *recipe* is what this controller is told of it, worked out when there is a controller.
///
/// Rules:
/// 1. Every set ends exactly once: `ended`. Until then it is wanted, whatever the controller does.
/// 2. A connection stops the set that led to it. It is started again at once, or when the controller
///    has room for another link; unless it was to call one device, or is not to go on.
/// 3. What was refused for a passing reason is tried again after a rest (`restMinimum`, doubling to
///    `restMaximum`); for any other, the set ends. So does one that was never in force and is
///    refused `refusalLimit` times.
/// 4. Command Disallowed means that controller and advertiser disagree about the state: the set is
///    stopped, and begun again. A set that the controller does not know is made again.
/// 5. A duration counts from the first time that the set is on the air, on the clock of the host:
///    interruptions count. The controller is told what is left of it.
/// 6. What the controller says that it cannot do at once, it is not asked to: advertising makes way
///    for links, scanning and initiating, and comes back when they end.
/// 7. While it is held (`hold`), no set is on the air; after `release` all come back.
/// 8. A set has an address of its own, where its host is private and the controller has several;
///    all of them change at the same time (`changeAddresses`).
/// 9. After `reset` all sets stay wanted, and come back by themselves after the next `configure`.
///
/// What is *not* done here: the links that come of it.
package struct Advertiser: Sendable {
    /// A caller's name for its set.
    package typealias SetID = UInt64

    package enum Action: Equatable, Sendable {
        /// Send the command, and hand its result to `commandFinished` with the step.
        case command(HCI.EncodedCommand, AdvertisingStep)
        /// What is wanted of the set is in force, and sent like this.
        case inForce(SetID, AdvertisingLayout)
        /// The set is over.
        case ended(SetID, AdvertisingEnd)
        /// Whether the Filter Accept List is needed from now on: to be answered with
        /// `acceptListGranted` when nobody else uses it.
        case needsAcceptList(Bool)
        /// No set is on the air, nor will be before `release`: the answer to `hold`.
        case quiet
    }

    /// How many sets there may be, whatever the controller holds: its handles end at 0xEF
    /// (Vol 4, Part E, 7.8.53).
    package static let setLimit = 0xF0
    /// The most octets of data in one command (Vol 4, Part E, 7.8.54).
    static let pieceLimit = 251
    /// For how long a high duty cycle lasts at most (Vol 6, Part B, 4.4.2.4.3).
    static let highDutyLimit: Duration = .milliseconds(1280)
    /// The longest duration that a command can tell (Vol 4, Part E, 7.8.56).
    static let controllerDurationLimit: Duration = .milliseconds(655_350)
    /// How much longer than its duration a set is given to end by itself.
    static let endGrace: Duration = .seconds(1)
    /// How long after a connection the event that says which set led to it may come. Later, all
    /// that may have are started again.
    static let terminationLimit: Duration = .seconds(1)
    /// How long a set rests after its first failure.
    static let restMinimum: Duration = .milliseconds(250)
    /// How long it rests at most; it rests less if a link closes and makes room.
    static let restMaximum: Duration = .seconds(4)
    /// After so many orders in a row that were not carried out, the set rests or has failed.
    static let refusalLimit = 3

    var sets: [AdvertisingSetState] = []
    var admissions = AdvertisingAdmissions()
    var dialect: CommandDialect?
    var pause = Pause.none
    /// What else the controller does.
    var use: RadioUse = []
    /// With what power the controller sends, in dBm, of those sets where it has told.
    var power: [UInt8: Int8] = [:]
    /// Until when a set has to be named as the one that led to a connection.
    var terminationDueAt: Instant?
    var outstanding: AdvertisingStep?
    var stepCount: UInt64 = 0
    var outbox: [Action] = []

    package init() {}

    /// Whether a set that can be connected to is wanted: who connects is welcome.
    package var awaitsConnections: Bool {
        sets.contains { $0.isWanted && $0.wish.isConnectable }
    }

    /// The address on the air of the set that led to a link, as the controller has it: of the set
    /// with this handle, or, if that is not known, of the first that may have. Nil if none may.
    package func address(connectedBy handle: UInt8?) -> DeviceAddress? {
        sets.first { handle == nil ? $0.mayConnect : $0.handle == handle }
            .flatMap { dialect?.address(of: $0.belief) }
    }

    // MARK: - What callers want

    /// The controller is ready, for the first time or after a `reset`. What was asked for before
    /// now begins.
    ///
    /// - Parameter setAddress: makes an address for each set; nil: they have that of the host.
    package mutating func configure(
        _ capabilities: ControllerCapabilities,
        ownAddress: DeviceAddress,
        setAddress: () -> DeviceAddress? = { nil },
        now: Instant
    ) -> [Action] {
        let dialect = CommandDialect(capabilities, ownAddress: ownAddress)
        self.dialect = dialect
        for index in sets.indices { sets[index].ownAddress = setAddress() }
        admissions.list = AcceptListMirror(capacity: capabilities.filterAcceptListSize)
        for index in sets.indices where sets[index].isWanted {
            if sets.prefix(index).count(where: \.isWanted) >= dialect.advertisingSetLimit {
                sets[index].end = .failed(.tooManySets(limit: dialect.advertisingSetLimit))
            } else {
                prepare(index)
            }
        }
        return settle(now: now)
    }

    /// Asks for a set. No set that has not ended may have the same identifier.
    ///
    /// - Parameter address: its own address; nil: that of the host.
    package mutating func add(
        _ id: SetID,
        _ advertising: Advertising,
        address: DeviceAddress? = nil,
        now: Instant
    ) -> [Action] {
        precondition(!sets.contains { $0.id == id }, "a set has an identifier of its own")
        let limit = min(dialect?.advertisingSetLimit ?? Self.setLimit, Self.setLimit)
        guard sets.count(where: \.isWanted) < limit, let handle = freeHandle else {
            return [.ended(id, .failed(.tooManySets(limit: limit)))]
        }
        sets.append(AdvertisingSetState(id: id, handle: handle, wish: advertising))
        sets[sets.count - 1].ownAddress = address
        prepare(sets.count - 1)
        return settle(now: now)
    }

    /// Asks for something else in the place of a set; `inForce` tells when that is so. Throws, and
    /// leaves the set as it was, if the controller cannot do it. One that has ended is left alone.
    package mutating func update(
        _ id: SetID,
        _ advertising: Advertising,
        now: Instant
    ) throws(AdvertisingError) -> [Action] {
        guard let index = sets.firstIndex(where: { $0.id == id && $0.isWanted }) else { return [] }
        if let dialect {
            let known = power[sets[index].handle]
            sets[index].recipe = try AdvertisingRecipe(
                advertising,
                in: dialect,
                address: sets[index].ownAddress,
                power: known
            )
        }
        if sets[index].wish.duration != advertising.duration { sets[index].endsAt = nil }
        if sets[index].wish.eventLimit != advertising.eventLimit {
            sets[index].eventsLeft = advertising.eventLimit.map { max(1, Int($0)) }
        }
        sets[index].wish = advertising
        sets[index].isAnnounced = false
        sets[index].refusalCount = 0
        return settle(now: now)
    }

    /// Gives a set up; `ended` tells when it is off the air. One that has ended is left alone.
    package mutating func remove(
        _ id: SetID,
        because end: AdvertisingEnd = .stopped,
        now: Instant
    ) -> [Action] {
        for index in sets.indices where sets[index].id == id && sets[index].isWanted {
            sets[index].end = end
        }
        return settle(now: now)
    }

    /// The host, and each set, has another address from now on. Sets that are on the air change by
    /// themselves; what the controller forbids while anything advertises is done before, in a pause.
    package mutating func changeAddresses(
        toHost ownAddress: DeviceAddress,
        setAddress: () -> DeviceAddress?,
        now: Instant
    ) -> [Action] {
        guard let dialect else { return [] }
        self.dialect = CommandDialect(dialect.capabilities, ownAddress: ownAddress)
        for index in sets.indices {
            sets[index].ownAddress = setAddress()
            if sets[index].isWanted { prepare(index) }
        }
        return settle(now: now)
    }

    /// Takes all sets off the air, for something that the controller forbids beside; `quiet` tells
    /// when they are. Nothing comes back before `release`.
    package mutating func hold(now: Instant) -> [Action] {
        if pause == .none { pause = .asked }
        return settle(now: now)
    }

    /// What `hold` interrupted goes on.
    package mutating func release(now: Instant) -> [Action] {
        pause = .none
        return settle(now: now)
    }

    /// The controller was reset, or is gone: it has forgotten everything. To be called before its
    /// commands are given up: what was outstanding then needs no answer, and nothing new is ordered.
    package mutating func reset(now: Instant) -> [Action] {
        dialect = nil
        outstanding = nil
        pause = .none
        power = [:]
        terminationDueAt = nil
        for index in sets.indices { sets[index].forgetController() }
        return settle(now: now)
    }

    // MARK: - Sets

    /// The smallest handle that no set has, not even one that is being removed.
    private var freeHandle: UInt8? {
        (0..<UInt8(Self.setLimit)).first { handle in !sets.contains { $0.handle == handle } }
    }

    /// Works out what the controller is to be told of a set, if there is a controller.
    mutating func prepare(_ index: Int) {
        guard let dialect else { return }
        do throws(AdvertisingError) {
            let known = power[sets[index].handle]
            sets[index].recipe = try AdvertisingRecipe(
                sets[index].wish,
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
    fileprivate mutating func forgetController() {
        belief = Belief()
        recipe = nil
        activity = .off
        needsRefresh = false
        hasEndedWhileEnabling = false
        refusalCount = 0
        failureCount = 0
        restsUntil = nil
        isWaitingForLink = false
    }
}
