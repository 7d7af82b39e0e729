// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The one arbiter of what a controller knows of addresses, beside `CentralScheduler` and
/// `Advertiser`, and in their manner: our own random address, which changes where we are private,
/// and the resolving list, by which the controller recognises bonded peers.
///
/// Terms:
/// - A *quiet window* is a time in which the controller neither advertises, scans nor initiates.
///   Almost nothing about addresses may be changed outside of one (Vol 4, Part E, 7.8.4, 7.8.38 to
///   7.8.45, 7.8.77). It is *opening* while the two others bring what they do to rest, and *open*
///   until everything is done.
///
/// Rules:
/// 1. A window is asked for when there is something to be done in it: `hold`. Both others answer with
///    `becameQuiet`, and order nothing until `release`, after which they go on by themselves.
/// 2. A window that has not opened within `openingLimit`, is not done within `windowLimit`, or in
///    which the controller refused an order, is closed; the next is asked for after a rest
///    (`restMinimum`, doubling to `restMaximum`). Meanwhile the host resolves, and the old address
///    stays.
/// 3. All that we show changes in one window: the random address, and those of the advertising sets,
///    at its end (`addressChanged`). Who listens cannot tell by one that the other is the same.
/// 4. The first random address is set at start-up: no other address of ours is ever on the air.
package struct AddressKeeper: Sendable {
    package enum Action: Equatable, Sendable {
        /// Send the command, and hand its result to `commandFinished` with the step.
        case command(HCI.EncodedCommand, PrivacyStep)
        /// Bring scanning, initiating and advertising to rest.
        case hold
        /// Go on.
        case release
        /// This is our random address from now on.
        case addressChanged(DeviceAddress)
        /// Whom the controller recognises has changed.
        case recognitionChanged
    }

    /// Who has to be at rest.
    package struct Parties: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let central = Parties(rawValue: 1 << 0)
        package static let advertiser = Parties(rawValue: 1 << 1)
        static let all: Parties = [.central, .advertiser]
    }

    enum Window: Equatable, Sendable {
        case closed
        case opening(until: Instant)
        case open(until: Instant)
    }

    /// How long the others may take to come to rest: longer than a cancelled initiation takes.
    package static let openingLimit: Duration = .seconds(5)
    /// How long a window may stay open.
    package static let windowLimit: Duration = .seconds(5)
    /// How long to wait after a window that came to nothing.
    package static let restMinimum: Duration = .seconds(1)
    /// How long to wait at most.
    package static let restMaximum: Duration = .seconds(60)

    /// Our own private addresses; nil if we show our identity.
    package internal(set) var own: PrivateAddresses?
    /// Whom the controller recognises.
    package internal(set) var list = ResolvingListKeeper()

    var window = Window.closed
    var quiet: Parties = []
    var isConfigured = false
    var outstanding: PrivacyStep?
    var stepCount: UInt64 = 0
    var failureCount = 0
    var restsUntil: Instant?
    var changesRecognition = false
    var outbox: [Action] = []

    /// Keeps these private addresses, or, with nil, none.
    package init(own: PrivateAddresses? = nil) {
        self.own = own
    }

    /// Whether a peer is called by its identity address: the controller knows what it goes by.
    package func resolves(_ identity: DeviceAddress) -> Bool { list.resolves(identity) }

    // MARK: - What callers want

    /// The controller is ready, for the first time or after a `reset`, and has the random address
    /// that it was given at start-up. To be called before the others are told: nothing may begin
    /// before the list is ready.
    package mutating func configure(
        _ capabilities: ControllerCapabilities,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        isConfigured = true
        list.configure(capabilities)
        if let address = capabilities.randomAddress {
            own?.took(address, using: &generator, now: now)
        }
        return settle(now: now)
    }

    /// These peers are to be recognised, the most important first.
    package mutating func want(
        _ entries: [ResolvingListKeeper.Entry],
        now: Instant
    ) -> [Action] {
        list.want(entries)
        return settle(now: now)
    }

    /// The controller has not recognised somebody whom it was told to recognise. One that does so
    /// again and again only says that it can.
    package mutating func missed(now: Instant) -> [Action] {
        list.missed()
        return settle(now: now)
    }

    /// These are at rest, and stay so until `release`.
    package mutating func becameQuiet(_ parties: Parties, now: Instant) -> [Action] {
        quiet.formUnion(parties)
        return settle(now: now)
    }

    /// A command was answered, or will never be.
    package mutating func commandFinished(
        _ step: PrivacyStep,
        result: CommandResult,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        guard step == outstanding else { return [] }
        outstanding = nil
        finish(step.order, OrderOutcome(result), using: &generator, now: now)
        return settle(now: now)
    }

    /// The controller was reset, or is gone: it has forgotten everything. The others, which are reset
    /// as well, are held no longer.
    package mutating func reset() {
        self = AddressKeeper(forgetting: self)
    }

    private init(forgetting past: AddressKeeper) {
        own = past.own
        own?.forget()
        list = past.list
        list.forgetController()
        stepCount = past.stepCount
    }
}
