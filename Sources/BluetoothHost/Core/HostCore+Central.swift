// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes

// Scans.
extension HostCore {
    /// Starts a scan, which continues until it is stopped. Its discoveries are `advertised`
    /// events.
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
    package mutating func requestConnection(
        _ target: DeviceAddress,
        options: ConnectOptions,
        id: RequestIdentifier,
        now: Instant
    ) {
        let isPending = options.approach == .whenAvailable
        if let obstacle, !isPending || obstacle == .closed {
            return fail(id, obstacle)
        }
        let identity = identity(of: target)
        // A search by indices, because a loop over the elements copies every link.
        let earlier = links.cores.indices.first {
            links.cores[$0].identity == identity || links.cores[$0].peer == target
        }
        guard earlier.map({ links.cores[$0].isDisconnecting }) != false,
            !connectionRequests.values.contains(where: { $0.identity == identity })
        else { return fail(id, HostError.alreadyConnecting) }
        let timeout = isPending ? nil : options.timeout
        connectionRequests[id] = PendingConnection(
            target: target,
            identity: identity,
            options: options,
            deadline: timeout.map { now + $0 },
            phase: earlier == nil ? .connecting : .awaitingDisconnection
        )
        let isResolved =
            target.randomKind == .resolvablePrivate && addresses.resolves(identity)
        if identity != target, !isResolved,
            recentAddresses.address(of: identity, now: now) == nil
        {
            // No recent address of the peer is known. The application has probably just received
            // the address `target` in an advertisement.
            recentAddresses.note(target, of: identity, now: now)
        }
        if resolver.knows(identity) { updateRecognition(now: now) }
        if earlier == nil { schedule(id, now: now) }
    }

    /// Continues the connection requests that waited for the end of a link to this peer.
    mutating func continueConnectionRequests(
        after link: LinkCore,
        with error: HostError,
        now: Instant
    ) {
        for (id, pending) in connectionRequests
        where pending.phase == .awaitingDisconnection
            && (pending.identity == link.identity || pending.target == link.peer)
        {
            if case .adapter = error, pending.options.approach == .direct {
                connectionRequestFailed(id, with: error)
            } else {
                connectionRequests[id]?.phase = .connecting
                schedule(id, now: now)
            }
        }
    }

    /// Cancels a connection request, and ends its link if there already is one.
    package mutating func cancelConnectionRequest(_ id: RequestIdentifier, now: Instant) {
        guard let pending = connectionRequests.removeValue(forKey: id) else { return }
        defer { updateScan(now: now) }
        switch pending.phase {
        case .connecting, .rescheduling:
            perform(scheduler.cancel(id.rawValue, now: now), now: now)
        case .establishing(let link):
            withLink(link, now: now) { link, context in
                link.connectionRequest = nil
                link.disconnect(request: nil, &context)
            }
        case .searching, .awaitingDisconnection, .backingOff: break
        }
    }

    mutating func expireConnectionRequests(now: Instant) {
        for id in connectionRequests.keys {
            // The end of one request may end others, so each is looked up again.
            guard let deadline = connectionRequests[id]?.deadline, deadline <= now else { continue }
            cancelConnectionRequest(id, now: now)
            fail(id, HostError.timedOut)
        }
    }

    /// Handles a failed attempt of a connection request: the controller made no link, or the link
    /// ended before it was usable. A pending request continues after a failure of the adapter.
    mutating func connectionAttemptFailed(
        _ id: RequestIdentifier,
        with error: HostError,
        now: Instant
    ) {
        guard connectionRequests[id] != nil else { return }
        defer { updateScan(now: now) }
        connectionRequests[id]?.phase = .connecting
        connectionRequests[id]?.trialEndsAt = nil
        connectionRequests[id]?.failedEstablishments += 1
        guard shouldRetry(id, after: error), let pending = connectionRequests[id] else {
            return connectionRequestFailed(id, with: error.asFailureToConnect)
        }
        // The scheduler waits until a failed adapter is ready again.
        if case .adapter = error { return schedule(id, now: now) }
        let end = now + pending.backoff(using: &context.randomness)
        // A pause that outlasts the timeout leaves no time for an attempt.
        if let deadline = pending.deadline, deadline <= end {
            return connectionRequestFailed(id, with: error.asFailureToConnect)
        }
        connectionRequests[id]?.phase = .backingOff(until: end)
    }

    mutating func resumeConnectionRequests(now: Instant) {
        for id in connectionRequests.keys {
            guard case .backingOff(let end)? = connectionRequests[id]?.phase, end <= now else {
                continue
            }
            connectionRequests[id]?.phase = .connecting
            schedule(id, now: now)
        }
    }

    private func shouldRetry(_ id: RequestIdentifier, after error: HostError) -> Bool {
        guard let pending = connectionRequests[id] else { return false }
        let isPending = pending.options.approach == .whenAvailable
        return switch error {
        case .adapter: isPending
        case .disconnected(.connectionFailedToBeEstablished),
            .failedToConnect(.connectionFailedToBeEstablished):
            isPending || pending.failedEstablishments < Self.establishmentLimit
        case .disconnected(.connectionTimeout),
            .disconnected(.connectionTerminatedByLocalHost):
            isPending
        // A link that is being disconnected makes room.
        case .controller(let code) where code.isLinkLimit,
            .failedToConnect(let code) where code.isLinkLimit:
            isPending && links.cores.contains { $0.isDisconnecting }
        default: false
        }
    }

    mutating func connectionRequestFailed(_ id: RequestIdentifier, with error: HostError) {
        guard connectionRequests.removeValue(forKey: id) != nil else { return }
        fail(id, error)
    }
}

// The scheduler, which controls the controller's one scanner and one initiator.
extension HostCore {
    mutating func perform(_ actions: [CentralScheduler.Action], now: Instant) {
        for action in actions { perform(action, now: now) }
        if state == .ready { activitiesChanged(now: now) }
    }

    private mutating func perform(_ action: CentralScheduler.Action, now: Instant) {
        switch action {
        case .command(let command, let step): send(command, for: .central(step), now: now)
        case .connectFailed(let id, .cancelled)
        where connectionRequests[RequestIdentifier(rawValue: id)]?.phase == .rescheduling:
            schedule(RequestIdentifier(rawValue: id), now: now)
        case .connectFailed(let id, let failure):
            let error = HostError(ofConnecting: failure, state)
            connectionAttemptFailed(RequestIdentifier(rawValue: id), with: error, now: now)
        case .scanFailed(let failure):
            let error = HostError(ofScanning: failure, state)
            for scan in scans { fail(scan.identifier, error) }
            scans = []
            failSearches(with: error, includesPending: true, now: now)
        case .quiet: perform(addresses.schedulersStopped(.central, now: now), now: now)
        case .unstoppable: controllerFailed(.unresponsive, now: now)
        case .acceptListReleased: perform(advertiser.acceptListGranted(now: now), now: now)
        case .connected, .unexpectedConnection, .scanStateChanged, .scanEnded: break
        }
    }
}
