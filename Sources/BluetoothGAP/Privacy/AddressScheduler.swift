// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// A scheduler that decides the address commands of one controller. One group of commands sets the
/// host's random address, which changes from time to time if the host uses private addresses. The
/// other group changes the resolving list, with which the controller resolves the addresses of
/// bonded peers. `CentralScheduler` and `Advertiser` decide the commands for scanning, initiating
/// and advertising.
///
/// Terms:
/// - A *quiet window* is a time in which the controller neither advertises, scans nor initiates. A
///   controller refuses most changes of addresses outside of a quiet window (Vol 4, Part E, 7.8.4,
///   7.8.38 to 7.8.45, 7.8.77). A window is *opening* while the central scheduler and the
///   advertiser stop their activities, and *open* until all changes are done.
///
/// Rules:
/// 1. When a change is necessary, the address scheduler requests a window with `hold`. The caller
///    calls `schedulersStopped` when the central scheduler and the advertiser have stopped. Both
///    issue no operations until `release`, after which they resume.
/// 2. A window closes early if it has not opened within `openingLimit`, if its changes are not done
///    within `windowLimit`, or if an operation failed and is to be repeated. The address scheduler
///    requests the next window after a back-off (`backoffMinimum`, doubling to `backoffMaximum`).
///    Until then, the host resolves addresses, and the old random address stays.
/// 3. All addresses on the air change in one window: the random address, and those of the
///    advertising sets at its end (`addressChanged`). Otherwise, an address that stays would link
///    the old address to the new one.
/// 4. The startup sets the first random address, before the controller uses the radio.
package struct AddressScheduler: Sendable {
    package enum Action: Equatable, Sendable {
        /// Send the command, and pass its result to `commandFinished` with the step.
        case command(HCI.EncodedCommand, PrivacyStep)
        /// Stop scanning, initiating and advertising.
        case hold
        /// Resume scanning, initiating and advertising.
        case release
        /// The host has this random address from now on.
        case addressChanged(DeviceAddress)
        /// The set of peers whose addresses the controller resolves may have changed.
        case recognitionChanged
    }

    /// The schedulers that have to stop using the radio before a window opens.
    package struct Schedulers: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let central = Schedulers(rawValue: 1 << 0)
        package static let advertiser = Schedulers(rawValue: 1 << 1)
        static let all: Schedulers = [.central, .advertiser]
    }

    enum Window: Equatable, Sendable {
        case closed
        case opening(until: Instant)
        case open(until: Instant)
    }

    /// The longest time until a window opens.
    package static let openingLimit: Duration = .seconds(5)
    /// The time after which no further operation begins in an open window.
    package static let windowLimit: Duration = .seconds(5)
    /// The back-off after the first window that failed.
    package static let backoffMinimum: Duration = .seconds(1)
    /// The longest back-off.
    package static let backoffMaximum: Duration = .seconds(60)

    /// The host's private addresses, or `nil` if it uses its identity address.
    package internal(set) var own: PrivateAddresses?
    /// The resolving list of the controller.
    package internal(set) var list = ResolvingListUpdater()

    var window = Window.closed
    var quietSchedulers: Schedulers = []
    var isConfigured = false
    var outstanding: PrivacyStep?
    var stepCount: UInt64 = 0
    var failureCount = 0
    var backoffEnd: Instant?
    var changesRecognition = false
    var outbox: [Action] = []

    /// Creates a scheduler of these private addresses. With `nil`, the host is not private.
    package init(own: PrivateAddresses? = nil) {
        self.own = own
    }

    /// Returns whether the controller resolves the private addresses of a peer, so that commands
    /// contain the peer's identity address.
    package func resolves(_ identity: DeviceAddress) -> Bool { list.resolves(identity) }

    // MARK: - Requests

    /// Starts the work on a controller that is set up, for the first time or after a `reset`. The
    /// controller has the random address that the startup set.
    ///
    /// Call this before the central scheduler and the advertiser are configured, because the
    /// resolving list must be ready before they use the radio.
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

    /// Requests that the controller resolves the addresses of these peers, most important first.
    package mutating func request(
        _ entries: [ResolvingListUpdater.Entry],
        now: Instant
    ) -> [Action] {
        list.request(entries)
        return settle(now: now)
    }

    /// Records that the controller did not resolve the address of a peer that is on its list. After
    /// `ResolvingListUpdater.missLimit` calls, the host no longer uses the list.
    package mutating func missed(now: Instant) -> [Action] {
        list.missed()
        return settle(now: now)
    }

    /// Records that these users of the radio have stopped until `release`.
    package mutating func schedulersStopped(_ schedulers: Schedulers, now: Instant) -> [Action] {
        quietSchedulers.formUnion(schedulers)
        return settle(now: now)
    }

    /// Processes the result of a command: the controller's answer, or the end of the wait for it.
    package mutating func commandFinished(
        _ step: PrivacyStep,
        result: CommandResult,
        using generator: inout some RandomNumberGenerator,
        now: Instant
    ) -> [Action] {
        guard step == outstanding else { return [] }
        outstanding = nil
        finish(step.operation, OperationOutcome(result), using: &generator, now: now)
        return settle(now: now)
    }

    /// Forgets the state of a controller that was reset or lost. Reset the central scheduler and
    /// the advertiser as well, which ends their pause.
    package mutating func reset() {
        self = AddressScheduler(forgetting: self)
    }

    private init(forgetting past: AddressScheduler) {
        own = past.own
        own?.forget()
        list = past.list
        list.forgetController()
        stepCount = past.stepCount
    }
}
