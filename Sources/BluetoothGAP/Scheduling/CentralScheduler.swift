// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The one arbiter of scanning and initiating on a controller.
///
/// A controller has one scanner and one initiator. Callers want any number of connections, some to
/// a device that was just seen (*direct*), some to a device that will come back some day
/// (*standing*), and a scan beside them. The scheduler compares what is wanted with what it believes
/// the controller to be doing, and issues the one order that comes next; when that is answered, the
/// next. So there is never more than one order outstanding, and every order is legal in the state
/// in which it is issued.
///
/// Terms:
/// - A *request* is one caller's wish for one connection. The queue of requests rotates.
/// - A *turn* is what the controller initiates at one time: the request at the front of the queue.
///   If that stands, all other standing requests with the same parameters come along, by means of
///   the Filter Accept List, as far as it has room.
/// - A *slice* (`sliceDuration`) is how long a turn lasts when others wait. With nobody waiting a
///   turn lasts until the connection is made, or for ever.
/// - The *share*: where the controller cannot scan and initiate at once, each has the radio for a
///   slice in turn. That it cannot is known from its supported states, or learnt when it refuses.
///
/// Rules:
/// 1. Every request ends exactly once: `connected`, or `connectFailed`. A standing request fails
///    only when it is withdrawn, or when the controller says that it can never succeed.
/// 2. A direct request whose attempt fails (0x3E, connection failed to be established, say) is
///    handed back: the caller knows whether the device is worth another attempt, and asks again. A
///    standing one rests for a moment (`restMinimum`, doubling to `restMaximum`) and is tried again.
///    A link that is reported connected and then lost with 0x3E has been connected, as far as this
///    goes.
/// 3. A request that is withdrawn while the controller initiates for it ends when the controller
///    has stopped. Should the connection be quicker, it ends `connected`, and the caller decides;
///    unless somebody else wants that device too, to whom the link goes then.
/// 4. The Filter Accept List is edited only while nothing is initiated.
/// 5. Command Disallowed means that controller and scheduler disagree about the state. The scheduler
///    gives in: it stops what the controller may be doing, and tries again, a bounded number of times.
/// 6. After `reset`, direct requests have failed. Standing ones and the scan stay wanted, and
///    come back by themselves after the next `configure`.
///
/// 7. While the Filter Accept List is lent to the advertiser, devices are dialled one by one.
///
/// 8. While it is held (`hold`), nothing runs. What was interrupted goes on after `release`.
///
/// What is *not* done here: timeouts of connection attempts (callers withdraw), and the links
/// themselves.
package struct CentralScheduler: Sendable {
    /// A caller's name for its request; free again when the request has ended.
    package typealias RequestID = UInt64

    package enum Action: Equatable, Sendable {
        /// Send the command, and hand its result to `commandFinished` with the step.
        case command(HCI.EncodedCommand, Step)
        /// The link was made.
        case connected(RequestID)
        /// The request has ended without a link.
        case connectFailed(RequestID, CentralFailure)
        /// A link was made that nobody wants any more: disconnect it.
        case unexpectedConnection(DeviceAddress)
        /// The scan that is wanted has begun to run; or none is wanted and none runs. Silent
        /// about pauses.
        case scanStateChanged(isScanning: Bool)
        /// The scan cannot be had, and is no longer wanted.
        case scanFailed(CentralFailure)
        /// The duration asked for is over; the scan is no longer wanted.
        case scanEnded
        /// The Filter Accept List, which was asked for, is somebody else's now.
        case acceptListLent
        /// Neither a scan nor an initiation runs, nor will before `release`: the answer to `hold`.
        case quiet
    }

    /// How a connection is wanted.
    package enum ConnectTarget: Hashable, Sendable {
        /// Now: fails when the attempt fails.
        case direct(DeviceAddress)
        /// Whenever the device comes: never fails for a passing reason.
        case pending(DeviceAddress)
    }

    /// How many requests may wait.
    package static let requestLimit = 256

    /// How long a turn lasts while others wait. Two of the longest advertising intervals that Apple
    /// recommends to accessories (1285 ms, and the random delay) fit in.
    package static let sliceDuration: Duration = .milliseconds(2600)

    /// How long to wait for the end of an initiation that was cancelled. There are controllers
    /// that say they cancelled and then never report the end (Bumble's is one).
    package static let endLimit: Duration = .seconds(1)

    /// How long a standing request rests after its first failure.
    package static let restMinimum: Duration = .milliseconds(250)

    /// How long it rests at most; it rests less if a link closes and makes room.
    package static let restMaximum: Duration = .seconds(4)

    /// After so many orders in a row that were not carried out, the turn has failed.
    static let refusalLimit = 3

    var queue = ConnectQueue()
    var scan = ScanControl()
    var dialect: CommandDialect?
    var acceptList = AcceptListMirror(capacity: 0)
    var loan = AcceptListLoan.none
    var pause = Pause.none
    var initiation = Initiation.idle
    var share = RadioShare()
    /// The controller refused to scan and initiate at once.
    var refusedOverlap = false
    /// Orders refused in a row on the way to the present turn.
    var refusalCount = 0
    var outstanding: Step?
    var stepCount: UInt64 = 0
    var outbox: [Action] = []

    package init() {}

    // MARK: - What callers want

    /// The controller is ready, for the first time or after a `reset`. What was asked for before
    /// now begins.
    package mutating func configure(
        _ capabilities: ControllerCapabilities,
        ownAddressKind: DeviceAddress.Kind,
        now: Instant
    ) -> [Action] {
        dialect = CommandDialect(capabilities, ownAddressKind: ownAddressKind)
        acceptList = AcceptListMirror(capacity: capabilities.filterAcceptListSize)
        refusedOverlap = false
        return settle(now: now)
    }

    /// Asks for a scan in place of the one before; nil: for none.
    ///
    /// - Parameter duration: how long it is wanted, from now on; nil: until further notice.
    package mutating func setScan(
        _ parameters: ScanParameters?,
        duration: Duration? = nil,
        now: Instant
    ) -> [Action] {
        scan.want(parameters, until: duration.map { now + $0 })
        return settle(now: now)
    }

    /// Has a scan that runs report once more what it has reported before: somebody has joined it.
    package mutating func renewScan(now: Instant) -> [Action] {
        scan.renew()
        return settle(now: now)
    }

    /// The scan that is wanted.
    package var wantedScan: ScanParameters? { scan.wish }

    /// Asks for a connection. No request that has not ended may have the same identifier.
    package mutating func connect(
        _ id: RequestID,
        to target: ConnectTarget,
        parameters: ConnectParameters = ConnectParameters(),
        now: Instant
    ) -> [Action] {
        precondition(!queue.contains(id), "a connection request has an identifier of its own")
        guard queue.requests.count < Self.requestLimit else {
            return [.connectFailed(id, .tooManyRequests)]
        }
        switch target {
        case .direct(let address):
            queue.append(.init(id: id, address: address, isStanding: false, parameters: parameters))
        case .pending(let address):
            queue.append(.init(id: id, address: address, isStanding: true, parameters: parameters))
        }
        return settle(now: now)
    }

    /// Whether a connection to this address is asked for.
    package func wants(_ address: DeviceAddress) -> Bool {
        queue.requests.contains { $0.address == address }
    }

    /// Withdraws a request; one that has ended already is left alone.
    package mutating func cancel(_ id: RequestID, now: Instant) -> [Action] {
        queue.update([id]) { $0.isCancelled = true }
        return settle(now: now)
    }

    /// Lends the Filter Accept List, or takes it back. `acceptListLent` tells when it is not in use
    /// here any more; who has it leaves it alone before it is taken back.
    package mutating func lendAcceptList(_ isLent: Bool, now: Instant) -> [Action] {
        guard isLent == (loan == .none) else { return [] }
        loan = isLent ? .asked : .none
        acceptList.forget()
        return settle(now: now)
    }

    /// Brings the controller to rest, for something that it forbids while it scans or initiates;
    /// `quiet` tells when it is. Nothing new runs until `release`.
    package mutating func hold(now: Instant) -> [Action] {
        if pause == .none { pause = .asked }
        return settle(now: now)
    }

    /// What `hold` interrupted goes on.
    package mutating func release(now: Instant) -> [Action] {
        pause = .none
        return settle(now: now)
    }

    // MARK: - What the controller says

    /// A command was answered, or will never be.
    package mutating func commandFinished(
        _ step: Step,
        result: CommandResult,
        now: Instant
    ) -> [Action] {
        guard step == outstanding else { return [] }
        outstanding = nil
        finish(step.order, OrderOutcome(result), now: now)
        return settle(now: now)
    }

    /// LE Connection Complete, or LE Enhanced Connection Complete, in the Central role or without
    /// success (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
    package mutating func connectionCompleted(
        status: HCI.ErrorCode,
        peer: DeviceAddress,
        now: Instant
    ) -> [Action] {
        if status == .success {
            connectionMade(with: peer, now: now)
        } else {
            connectionFailed(status, peer: peer, now: now)
        }
        return settle(now: now)
    }

    /// LE Scan Timeout (Vol 4, Part E, 7.7.65.17): no scan with a duration is ever asked of the
    /// controller, yet if it has stopped it has stopped.
    package mutating func scanTimedOut(now: Instant) -> [Action] {
        scan.disabled()
        return settle(now: now)
    }

    /// A link was closed: a controller that was full may have room now.
    package mutating func linkCountChanged(now: Instant) -> [Action] {
        queue.wake(now: nil)
        return settle(now: now)
    }

    /// The controller was reset, or is gone: it has forgotten everything. To be called before its
    /// commands are given up: what was outstanding then needs no answer, and nothing new is ordered.
    package mutating func reset(now: Instant) -> [Action] {
        dialect = nil
        outstanding = nil
        pause = .none
        initiation = .idle
        refusalCount = 0
        acceptList.forget()
        if scan.reset() { outbox.append(.scanStateChanged(isScanning: false)) }
        for id in queue.remove(where: { !$0.isStanding && !$0.isCancelled }) {
            outbox.append(.connectFailed(id, .controllerReset))
        }
        return settle(now: now)
    }
}
