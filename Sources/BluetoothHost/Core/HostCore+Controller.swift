// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes

// The states of the controller: opened, started, ready, failed, reset, reopened.
extension HostCore {
    /// Sets the controller up after the transport was opened. Does nothing if the host has closed
    /// the transport in the meantime.
    ///
    /// - Parameters:
    ///   - losesBytes: Whether the transport can lose bytes, as a UART can.
    ///   - longestPacket: The maximum length in bytes of an H4 packet on the transport, or `nil`
    ///     without a limit.
    package mutating func transportOpened(
        losesBytes: Bool = false,
        longestPacket: Int? = nil,
        now: Instant
    ) {
        guard state != .closed, reopening.deadline == nil else { return }
        isConnected = true
        transportRecovery = TransportRecovery(losesBytes: losesBytes, longestPacket: longestPacket)
        beginStartup(now: now)
    }

    /// Handles a transport that could not be opened, or has ended. Does nothing if the host itself
    /// has closed the transport and will open it again.
    package mutating func transportClosed(_ reason: String, now: Instant) {
        guard state != .closed, reopening.deadline == nil else { return }
        changeState(to: .unavailable(.transport(reason)))
        abandonController(.transport(reason), now: now)
        // A host that is being shut down has closed.
        guard state != .closed else { return }
        disconnected(now: now)
    }

    /// Opens the transport without further delay, because it is available again.
    package mutating func transportReturned() {
        guard state != .closed, reopening.deadline != nil else { return }
        reopen()
    }

    /// Starts to open the transport again.
    mutating func reopen() {
        reopening.begun()
        changeState(to: .starting)
        emit(.reopenTransport)
    }

    /// The reason why no request can begin now, or `nil` if requests can.
    var obstacle: HostError? { shutdownDeadline == nil ? state.obstacle : .closed }

    /// Shuts the host down. Ends all links, scans, connection requests and advertising first, for
    /// `shutdownLimit` at most, because a controller continues them without a host. `closed` is the
    /// last state.
    package mutating func shutDown(now: Instant) {
        guard state != .closed, shutdownDeadline == nil else { return }
        shutdownDeadline = now + Self.shutdownLimit
        // Canceling one connection request may end others.
        for id in connectionRequests.keys where connectionRequests[id] != nil {
            cancelConnectionRequest(id, now: now)
            fail(id, HostError.closed)
        }
        for scan in scans { fail(scan.identifier, HostError.closed) }
        scans = []
        updateScan(now: now)
        stopAllAdvertising(now: now)
        forEachLink(now: now) { $0.disconnect(request: nil, &$1) }
        finishShutDown(now: now)
    }

    /// Closes a host that is being shut down if all links, scans and advertising sets have ended,
    /// if the controller is not ready, or if `shutdownLimit` has passed.
    mutating func finishShutDown(now: Instant) {
        guard let deadline = shutdownDeadline, state != .closed else { return }
        let isQuiet = links.isEmpty && advertisingWaiters.isEmpty && scheduler.isIdle
        guard state != .ready || isQuiet || deadline <= now else { return }
        shutdownDeadline = nil
        changeState(to: .closed)
        abandonController(.notStarted, now: now)
        for acceptor in context.listeners.acceptors { fail(acceptor, HostError.closed) }
        context.listeners.removeAll()
        isConnected = false
        reopening.begun()
        context.writeEverything()
        emit(.closeTransport)
    }

    /// Handles a failure of the controller. The host discards the controller's state. It then
    /// resets the controller or, if a reset would not help, opens the transport again.
    mutating func controllerFailed(_ failure: AdapterFailure, now: Instant) {
        guard state != .closed else { return }
        let isBeyondReset = !mayReset(after: failure)
        changeState(to: isBeyondReset ? .unavailable(failure) : .resetting(failure))
        abandonController(failure, now: now)
        // A host that is being shut down has closed.
        guard state != .closed else { return }
        guard isBeyondReset else { return beginStartup(now: now) }
        emit(.closeTransport)
        disconnected(now: now)
    }

    /// Returns whether a reset may help, and can reach the controller.
    private mutating func mayReset(after failure: AdapterFailure) -> Bool {
        guard !transportRecovery.losesBytes else { return transportRecovery.takeReset() }
        // A controller that fails during its set-up was already reset.
        return startup == nil && failure != .desynchronized
    }

    private mutating func disconnected(now: Instant) {
        isConnected = false
        deframer.reset()
        reopening.failed(now: now)
    }

    private mutating func beginStartup(now: Instant) {
        // Bytes before the answer to Reset are old, or noise (Vol 4, Part A, 4).
        if transportRecovery.losesBytes { deframer.resynchronize() }
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
            return controllerFailed(.unsuitable("it does not accept a random address"), now: now)
        }
        startup = nil
        context.capabilities = found
        reopening.succeeded()
        transportRecovery.controllerStarted()
        context.transmitQueue = ACLTransmitQueue()
        context.transmitQueue.configure(
            packetLength: transportRecovery.dataLength(for: found.aclPacketLength),
            packetCount: found.aclPacketCount
        )
        changeState(to: .ready)
        configureRadio(found, now: now)
    }

    /// Discards the state of the controller: links end, commands are discarded, and direct
    /// connection requests fail. Scans, advertising and pending connections start again when the
    /// controller is ready.
    ///
    /// The scheduler is reset first. Otherwise, the ends of links and commands would make it send
    /// the next command to a controller that is not ready.
    private mutating func abandonController(_ failure: AdapterFailure, now: Instant) {
        startup = nil
        context.capabilities = nil
        abandonedControllers += 1
        transportRecovery.packetArrived()
        addresses.reset()
        perform(scheduler.reset(now: now), now: now)
        perform(advertiser.reset(now: now), now: now)
        perform(context.commands.reset(), now: now)
        let obstacle = state.obstacle ?? .adapter(failure)
        endLinks(with: obstacle, now: now)
        failSearches(with: obstacle, includesPending: false, now: now)
        reports = ReportAssembler()
        context.transmitQueue = ACLTransmitQueue()
    }
}
