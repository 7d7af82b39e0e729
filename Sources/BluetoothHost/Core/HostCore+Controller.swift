// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes

// The controller's life: opened, started, ready; failed, reset or reopened.
extension HostCore {
    /// The transport is open: set the controller up from the beginning. Does nothing if it has been
    /// closed since, which may be told first.
    ///
    /// - Parameters:
    ///   - losesBytes: Whether bytes may get lost on it, as on a UART.
    ///   - longestPacket: The longest H4 packet that it takes; nil if it takes any.
    package mutating func transportOpened(
        losesBytes: Bool = false,
        longestPacket: Int? = nil,
        now: Instant
    ) {
        guard state != .closed, reopening.deadline == nil else { return }
        isConnected = true
        wire = Wire(losesBytes: losesBytes, longestPacket: longestPacket)
        beginStartup(now: now)
    }

    /// The transport could not be opened, or ended. Does nothing if the host closed it itself, and
    /// is going to open it again.
    package mutating func transportClosed(_ reason: String, now: Instant) {
        guard state != .closed, reopening.deadline == nil else { return }
        changeState(to: .unavailable(.transport(reason)))
        abandonController(.transport(reason), now: now)
        disconnected(now: now)
    }

    /// What the transport lacked is there again: there is nothing to wait for any more.
    package mutating func transportReturned() {
        guard state != .closed, reopening.deadline != nil else { return }
        reopen()
    }

    /// Has the transport opened again.
    mutating func reopen() {
        reopening.begun()
        changeState(to: .starting)
        emit(.reopenTransport)
    }

    /// Why nothing can be begun now; nil when it can.
    var obstacle: HostError? { farewellDeadline == nil ? state.obstacle : .closed }

    /// Ends everything for good: says goodbye to the peers first, but not for longer than
    /// `farewellLimit`. `closed` is the last state.
    package mutating func shutDown(now: Instant) {
        guard state != .closed, farewellDeadline == nil else { return }
        farewellDeadline = now + Self.farewellLimit
        for id in dials.keys {
            cancelDial(id, now: now)
            fail(id, HostError.closed)
        }
        stopAllAdvertising(now: now)
        for handle in links.handles { disconnect(handle, request: nil, now: now) }
        finishShutDown(now: now)
    }

    /// Closes, once no link is left or the time for goodbyes is over.
    mutating func finishShutDown(now: Instant) {
        guard let deadline = farewellDeadline, state != .closed else { return }
        let isQuiet = links.isEmpty && advertisingWaiters.isEmpty
        guard state != .ready || isQuiet || deadline <= now else { return }
        farewellDeadline = nil
        changeState(to: .closed)
        abandonController(.notStarted, now: now)
        for scan in scans { fail(scan.identifier, HostError.closed) }
        scans = []
        for acceptor in listeners.acceptors { fail(acceptor, HostError.closed) }
        listeners.removeAll()
        isConnected = false
        reopening.begun()
        writeEverything()
        emit(.closeTransport)
    }

    /// The controller cannot be trusted any more. Everything it knew is forgotten on our side too;
    /// then it is reset, or, where a reset could not get through, its transport is opened anew.
    mutating func controllerFailed(_ failure: AdapterFailure, now: Instant) {
        guard state != .closed else { return }
        let isBeyondReset = !mayReset(after: failure)
        changeState(to: isBeyondReset ? .unavailable(failure) : .resetting(failure))
        abandonController(failure, now: now)
        guard isBeyondReset else { return beginStartup(now: now) }
        emit(.closeTransport)
        disconnected(now: now)
    }

    /// Whether a reset may help, and can get through.
    private mutating func mayReset(after failure: AdapterFailure) -> Bool {
        guard !wire.losesBytes else { return wire.takeReset() }
        // A controller that fails while it is set up has had its reset.
        return startup == nil && failure != .desynchronised
    }

    private mutating func disconnected(now: Instant) {
        isConnected = false
        deframer.reset()
        reopening.failed(now: now)
    }

    private mutating func beginStartup(now: Instant) {
        // Whatever comes before the answer to Reset is from before, or noise (Vol 4, Part A, 4).
        if wire.losesBytes { deframer.resynchronise() }
        startup = ControllerStartup(randomAddress: takeFirstAddress())
        continueStartup(now: now)
    }

    private mutating func continueStartup(now: Instant) {
        guard let command = startup?.next() else { return }
        send(command, for: .startup, now: now)
    }

    mutating func startupAnswered(_ result: CommandResult, now: Instant) {
        switch startup?.finished(result) {
        case nil: break
        case .continue: continueStartup(now: now)
        case .ready(let capabilities): controllerStarted(capabilities, now: now)
        case .failed(.commandFailed(_, .timedOut)): controllerFailed(.unresponsive, now: now)
        case .failed(let error): controllerFailed(.unsuitable("\(error)"), now: now)
        }
    }

    private mutating func controllerStarted(_ found: ControllerCapabilities, now: Instant) {
        guard !isPrivate || found.randomAddress != nil else {
            return controllerFailed(.unsuitable("it takes no random address"), now: now)
        }
        startup = nil
        capabilities = found
        reopening.succeeded()
        wire.controllerStarted()
        transmitQueue = ACLTransmitQueue()
        transmitQueue.configure(
            packetLength: wire.dataLength(for: found.aclPacketLength),
            packetCount: found.aclPacketCount
        )
        changeState(to: .ready)
        configureRadio(found, now: now)
    }

    /// Forgets what the controller knew: links end, answers will not come, direct dials fail.
    /// Scans, advertising and pending connections stay wanted, and start again when the controller is back.
    ///
    /// The scheduler is the first to know: told of links and commands that ended, it would order
    /// the next thing from a controller that is not there.
    private mutating func abandonController(_ failure: AdapterFailure, now: Instant) {
        startup = nil
        capabilities = nil
        abandonedControllers += 1
        wire.packetArrived()
        addresses.reset()
        perform(scheduler.reset(now: now), now: now)
        perform(advertiser.reset(now: now), now: now)
        perform(commands.reset(), now: now)
        endLinks(with: state.obstacle ?? .adapter(failure), now: now)
        let obstacle = state.obstacle ?? .adapter(failure)
        failLooks(with: obstacle, includesStanding: false, now: now)
        reports = ReportAssembler()
        transmitQueue = ACLTransmitQueue()
    }
}
