// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// A scheduler that decides the scanning and initiating commands of one controller.
///
/// A controller has one scanner and one initiator. Callers request a scan and up to `requestLimit`
/// connections. A *direct* request is for a device that was just discovered. A *pending* request is
/// for a device that returns at an unknown time. The scheduler compares the requested state with
/// the presumed state of the controller, and issues one operation at a time.
///
/// Terms:
/// - A *request* is one caller's connection request. The queue of requests rotates.
/// - A *turn* is one initiation of the controller. It serves the request at the front of the queue.
///   If that request is pending, other pending requests with the same parameters join it in the
///   Filter Accept List, as far as the list has room.
/// - A *slice* (`sliceDuration`) is the length of a turn while other requests wait. Otherwise, a
///   turn lasts until the connection.
/// - The *share*: if the controller cannot scan and initiate at once, scanner and initiator
///   alternate in slices. The scheduler knows this from the supported states, or from a refusal.
///
/// Rules:
/// 1. Every request ends exactly once, with `connected` or `connectFailed`. A pending request fails
///    only when it is canceled, when the controller refuses it for a reason that is not transient,
///    when the controller has no room for another link and has not initiated for the request
///    before, or when there are `requestLimit` requests already.
/// 2. A direct request ends when its attempt fails (for example with 0x3E, connection failed to be
///    established), because the caller knows whether another attempt is worthwhile. A pending
///    request backs off (`backoffMinimum`, doubling to `backoffMaximum`) and is tried again. A link
///    that is lost with 0x3E after it was reported counts as connected.
/// 3. A request that is canceled while the controller initiates for it ends when the controller has
///    stopped. If the connection comes first, the request ends with `connected`, unless another
///    request for the device exists, which then gets the link.
/// 4. The scheduler changes the Filter Accept List only while nothing is initiated.
/// 5. Command Disallowed means that the controller and the scheduler disagree about the state. The
///    scheduler stops the scan or initiation that the controller may be running and tries again, a
///    bounded number of times. A scan or an initiation counts as stopped when the controller has
///    answered the stop. The scheduler repeats a stop without an answer, and asks for a reset of
///    the controller (`unstoppable`) after `unansweredStopLimit` unanswered stops in a row.
/// 6. On `reset`, direct requests fail. Pending requests and the scan stay requested, and continue
///    after the next `configure`.
/// 7. While the advertiser uses the Filter Accept List, the initiator connects to one device at a
///    time.
/// 8. Between `hold` and `release`, neither a scan nor an initiation runs.
///
/// The scheduler has no timeouts for connection attempts, because callers cancel them. It does not
/// manage links.
package struct CentralScheduler: Sendable {
    /// The identifier of a request, which the caller chooses and may use again after its end.
    package typealias RequestID = UInt64

    package enum Action: Equatable, Sendable {
        /// Send the command, and pass its result to `commandFinished` with the step.
        case command(HCI.EncodedCommand, CentralStep)
        /// The link was established.
        case connected(RequestID)
        /// The request has ended without a link.
        case connectFailed(RequestID, CentralFailure)
        /// Disconnect this link, because no request for it remains.
        case unexpectedConnection(DeviceAddress)
        /// The requested scan has begun, or the scan has stopped: as requested, or by a `reset`.
        /// Pauses are not reported.
        case scanStateChanged(isScanning: Bool)
        /// The scan has failed and is no longer requested.
        case scanFailed(CentralFailure)
        /// The requested duration is over, and the scan is no longer requested.
        case scanEnded
        /// The advertiser may use the Filter Accept List now.
        case acceptListReleased
        /// Neither a scan nor an initiation runs until `release`. This is the answer to `hold`.
        case quiet
        /// Reset the controller: it does not answer the commands to stop, so it may still scan or
        /// initiate.
        case unstoppable
    }

    /// The kind of a connection request, and its device.
    package enum ConnectTarget: Hashable, Sendable {
        /// A request that fails when the attempt fails.
        case direct(DeviceAddress)
        /// A request that waits for the device and never fails for a transient reason.
        case pending(DeviceAddress)
    }

    package static let requestLimit = 256

    /// The length of a turn while other requests wait. Two of the longest advertising intervals
    /// that Apple recommends to accessories (1285 ms, and the random delay) fit in.
    package static let sliceDuration: Duration = .milliseconds(2600)

    /// The time for which the scheduler waits for the end of a canceled initiation. Some
    /// controllers accept the cancel and never report the end. Bumble's controller is an example.
    package static let endLimit: Duration = .seconds(1)

    /// The back-off of a pending request after its first failure.
    package static let backoffMinimum: Duration = .milliseconds(250)

    /// The longest back-off of a pending request. A back-off ends earlier if a link closes.
    package static let backoffMaximum: Duration = .seconds(4)

    /// The number of failed operations in a row after which the turn fails or, for changes of the
    /// Filter Accept List, the list is no longer used.
    static let refusalLimit = 3

    /// The number of unanswered stops in a row after which the controller needs a reset.
    static let unansweredStopLimit = 3

    var queue = ConnectQueue()
    var scan = ScanControl()
    var dialect: CommandDialect?
    var acceptList = AcceptListModel(capacity: 0)
    var acceptListUser = AcceptListUser.initiator
    var pause = Pause.none
    var initiation = Initiation.idle
    var share = RadioShare()
    /// Whether the controller refused to scan and initiate at once.
    var refusedOverlap = false
    /// The number of failed operations in a row for the current turn.
    var refusalCount = 0
    /// The number of stops in a row without an answer.
    var unansweredStopCount = 0
    var outstanding: CentralStep?
    var stepCount: UInt64 = 0
    var outbox: [Action] = []

    package init() {}

    // MARK: - Requests

    /// Begins the requested activities with a controller that is ready, for the first time or after
    /// a `reset`.
    package mutating func configure(
        _ capabilities: ControllerCapabilities,
        ownAddressKind: DeviceAddress.Kind,
        now: Instant
    ) -> [Action] {
        dialect = CommandDialect(capabilities, ownAddressKind: ownAddressKind)
        acceptList = AcceptListModel(capacity: capabilities.filterAcceptListSize)
        refusedOverlap = false
        return settle(now: now)
    }

    /// Requests a scan in place of the current one. With `nil`, the scan stops.
    ///
    /// - Parameter duration: The time until the end of the scan, or `nil` for a scan without an
    ///   end.
    package mutating func setScan(
        _ parameters: ScanParameters?,
        duration: Duration? = nil,
        now: Instant
    ) -> [Action] {
        scan.request(parameters, until: duration.map { now + $0 })
        return settle(now: now)
    }

    /// Makes a running scan report devices again, for a caller that joined it later.
    package mutating func renewScan(now: Instant) -> [Action] {
        scan.renew()
        return settle(now: now)
    }

    /// The parameters of the requested scan.
    package var requestedScan: ScanParameters? { scan.requested }

    /// Requests a connection. No other request may have the identifier, unless it has ended.
    package mutating func connect(
        _ id: RequestID,
        to target: ConnectTarget,
        parameters: ConnectParameters = ConnectParameters(),
        now: Instant
    ) -> [Action] {
        precondition(!queue.contains(id), "another connection request has this identifier")
        guard queue.requests.count < Self.requestLimit else {
            return [.connectFailed(id, .tooManyRequests)]
        }
        switch target {
        case .direct(let address):
            queue.append(.init(id: id, address: address, isPending: false, parameters: parameters))
        case .pending(let address):
            queue.append(.init(id: id, address: address, isPending: true, parameters: parameters))
        }
        return settle(now: now)
    }

    /// Returns whether a connection to this address is requested.
    package func wants(_ address: DeviceAddress) -> Bool {
        queue.requests.contains { $0.address == address }
    }

    /// Whether the initiation that may still make a link uses the controller's public address.
    package var initiatesWithPublicAddress: Bool {
        initiation.turn?.parameters.usesPublicAddress ?? false
    }

    /// Cancels a request. A request that has ended does not change.
    package mutating func cancel(_ id: RequestID, now: Instant) -> [Action] {
        queue.update([id]) { $0.isCancelled = true }
        return settle(now: now)
    }

    /// Reserves the Filter Accept List for the advertiser, or ends the reservation. The action
    /// `acceptListReleased` follows a reservation when the initiator no longer uses the list. The
    /// advertiser stops using the list before the reservation ends.
    package mutating func reserveAcceptList(_ isReserved: Bool, now: Instant) -> [Action] {
        guard isReserved == (acceptListUser == .initiator) else { return [] }
        acceptListUser = isReserved ? .advertiserWaiting : .initiator
        acceptList.forget()
        return settle(now: now)
    }

    /// Stops scanning and initiating until `release`, for a change that the controller forbids
    /// during them. The action `quiet` follows when they have stopped.
    package mutating func hold(now: Instant) -> [Action] {
        if pause == .none { pause = .asked }
        return settle(now: now)
    }

    /// Resumes the activities that `hold` interrupted.
    package mutating func release(now: Instant) -> [Action] {
        pause = .none
        return settle(now: now)
    }

    // MARK: - Events of the controller

    /// Processes the result of a command: the controller's answer, or the end of the wait for it.
    package mutating func commandFinished(
        _ step: CentralStep,
        result: CommandResult,
        now: Instant
    ) -> [Action] {
        guard step == outstanding else { return [] }
        outstanding = nil
        finish(step.operation, OperationOutcome(result), now: now)
        return settle(now: now)
    }

    /// Processes LE Connection Complete or LE Enhanced Connection Complete, in the central role or
    /// without success (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
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

    /// Processes LE Scan Timeout (Vol 4, Part E, 7.7.65.17). The scheduler never sends the
    /// controller a duration, but a controller that reports this event has stopped.
    package mutating func scanTimedOut(now: Instant) -> [Action] {
        scan.disabled()
        return settle(now: now)
    }

    /// Processes the end of a link, after which the controller may have room for another link.
    package mutating func linkCountChanged(now: Instant) -> [Action] {
        queue.endBackoffs(now: nil)
        return settle(now: now)
    }

    /// Whether the controller neither scans nor initiates, and no command of the scheduler is
    /// outstanding.
    package var isIdle: Bool { outstanding == nil && initiation.isIdle && scan.isOff }

    /// Forgets the state of a controller that was reset or lost.
    ///
    /// Call this before the commands to the controller are discarded. The outstanding operation
    /// then needs no answer, and no new operation follows.
    package mutating func reset(now: Instant) -> [Action] {
        dialect = nil
        outstanding = nil
        pause = .none
        initiation = .idle
        refusalCount = 0
        unansweredStopCount = 0
        acceptList.forget()
        if scan.reset() { outbox.append(.scanStateChanged(isScanning: false)) }
        for id in queue.remove(where: { !$0.isPending && !$0.isCancelled }) {
            outbox.append(.connectFailed(id, .controllerReset))
        }
        return settle(now: now)
    }
}
