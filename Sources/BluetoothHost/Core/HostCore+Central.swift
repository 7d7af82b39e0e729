// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes

// Scans.
extension HostCore {
    /// Starts a scan, which continues until it is stopped. Its discoveries are `advertised`
    /// actions.
    package mutating func startScan(
        _ request: ScanRequest,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard obstacle != .closed else { return fail(id, HostError.closed) }
        guard scans.count < Self.scanLimit else { return fail(id, HostError.tooManyRequests) }
        scans.append(ScanSession(identifier: id, request: request))
        updateScan(now: now)
        perform(scheduler.renewScan(now: now), now: now)
    }

    /// Ends a scan.
    package mutating func stopScan(_ id: RequestIdentifier, now: Instant) {
        guard scans.contains(where: { $0.identifier == id }) else { return }
        scans.removeAll { $0.identifier == id }
        updateScan(now: now)
    }
}

// Connection requests, from the call to the usable link.
extension HostCore {
    /// Starts a connection request. The answer is a `completed` action with the link or an error,
    /// such as ``HostError/alreadyConnecting`` if there already is a link or a request to this
    /// peer.
    package mutating func dial(
        _ target: DeviceAddress,
        options: ConnectOptions,
        id: RequestIdentifier,
        now: Instant
    ) {
        let isStanding = options.approach == .whenAvailable
        if let obstacle, !isStanding || obstacle == .closed {
            return fail(id, obstacle)
        }
        let identity = identity(of: target)
        let earlier = links.cores.first { $0.identity == identity || $0.peer == target }
        guard earlier?.isDisconnecting != false,
            !dials.values.contains(where: { $0.identity == identity })
        else { return fail(id, HostError.alreadyConnecting) }
        let timeout = isStanding ? nil : options.timeout
        dials[id] = Dial(
            target: target,
            identity: identity,
            options: options,
            deadline: timeout.map { now + $0 },
            phase: earlier == nil ? .dialling : .parting
        )
        if identity != target, !addresses.resolves(identity),
            recentAddresses.address(of: identity, now: now) == nil
        {
            // The application has just received the private address that it connects to.
            recentAddresses.note(target, of: identity, now: now)
        }
        if resolver.knows(identity) { updateRecognition(now: now) }
        if earlier == nil { schedule(id, now: now) }
    }

    /// Continues the connection request that waited for the end of a link to this peer.
    mutating func peerParted(_ link: LinkCore, with error: HostError, now: Instant) {
        for (id, dial) in dials
        where dial.phase == .parting
            && (dial.identity == link.identity || dial.target == link.peer)
        {
            if case .adapter = error, dial.options.approach == .direct {
                dialFailed(id, with: error)
            } else {
                dials[id]?.phase = .dialling
                schedule(id, now: now)
            }
        }
    }

    /// Cancels a connection request, and ends its link if there already is one.
    package mutating func cancelDial(_ id: RequestIdentifier, now: Instant) {
        guard let dial = dials.removeValue(forKey: id) else { return }
        defer { updateScan(now: now) }
        switch dial.phase {
        case .dialling, .turning:
            perform(scheduler.cancel(id.rawValue, now: now), now: now)
        case .establishing(let link):
            withLink(link, now: now) { link, context in
                link.connectionRequest = nil
                link.disconnect(request: nil, &context)
            }
        case .looking, .parting, .resting: break
        }
    }

    mutating func expireDials(now: Instant) {
        for id in dials.keys {
            // The end of one request may end others, so each is looked up again.
            guard let deadline = dials[id]?.deadline, deadline <= now else { continue }
            cancelDial(id, now: now)
            fail(id, HostError.timedOut)
        }
    }

    /// Handles the end of a request's link before the link was usable. The host may try again,
    /// because a peer that did not join the link may join the next. A pending connection survives
    /// the failure of the adapter.
    mutating func dialFell(_ id: RequestIdentifier, with error: HostError, now: Instant) {
        guard dials[id] != nil else { return }
        defer { updateScan(now: now) }
        dials[id]?.phase = .dialling
        dials[id]?.trialEndsAt = nil
        dials[id]?.failedEstablishments += 1
        guard isWorthAnotherAttempt(id, after: error), let dial = dials[id] else {
            return dialFailed(id, with: error.asFailureToConnect)
        }
        // The scheduler waits until a failed adapter is ready again.
        if case .adapter = error { return schedule(id, now: now) }
        let end = now + dial.rest(using: &context.randomness)
        // A pause that outlasts the timeout leaves no time for an attempt.
        if let deadline = dial.deadline, deadline <= end {
            return dialFailed(id, with: error.asFailureToConnect)
        }
        dials[id]?.phase = .resting(until: end)
    }

    mutating func wakeDials(now: Instant) {
        for id in dials.keys {
            guard case .resting(let end)? = dials[id]?.phase, end <= now else { continue }
            dials[id]?.phase = .dialling
            schedule(id, now: now)
        }
    }

    private func isWorthAnotherAttempt(_ id: RequestIdentifier, after error: HostError) -> Bool {
        guard let dial = dials[id] else { return false }
        let isStanding = dial.options.approach == .whenAvailable
        return switch error {
        case .adapter: isStanding
        case .disconnected(.connectionFailedToBeEstablished),
            .failedToConnect(.connectionFailedToBeEstablished):
            isStanding || dial.failedEstablishments < Self.establishmentLimit
        case .disconnected(.connectionTimeout),
            .disconnected(.connectionTerminatedByLocalHost):
            isStanding
        default: false
        }
    }

    mutating func dialFailed(_ id: RequestIdentifier, with error: HostError) {
        guard dials.removeValue(forKey: id) != nil else { return }
        fail(id, error)
    }
}

// The scheduler, which controls the controller's one scanner and one initiator.
extension HostCore {
    mutating func perform(_ actions: [CentralScheduler.Action], now: Instant) {
        for action in actions { perform(action, now: now) }
        if state == .ready { radioUseChanged(now: now) }
    }

    private mutating func perform(_ action: CentralScheduler.Action, now: Instant) {
        switch action {
        case .command(let command, let step): send(command, for: .central(step), now: now)
        case .connectFailed(let id, .cancelled)
        where dials[RequestIdentifier(rawValue: id)]?.phase == .turning:
            schedule(RequestIdentifier(rawValue: id), now: now)
        case .connectFailed(let id, let failure):
            let error = HostError(ofConnecting: failure, state)
            dialFell(RequestIdentifier(rawValue: id), with: error, now: now)
        case .scanFailed(let failure):
            let error = HostError(ofScanning: failure, state)
            for scan in scans { fail(scan.identifier, error) }
            scans = []
            failLooks(with: error, includesStanding: true, now: now)
        case .quiet: perform(addresses.becameQuiet(.central, now: now), now: now)
        case .unstoppable: controllerFailed(.unresponsive, now: now)
        case .acceptListLent: perform(advertiser.acceptListGranted(now: now), now: now)
        case .connected, .unexpectedConnection, .scanStateChanged, .scanEnded: break
        }
    }
}
