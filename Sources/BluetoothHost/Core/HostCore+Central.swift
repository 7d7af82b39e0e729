// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes

// Scanning: which advertisement goes to whom.
extension HostCore {
    /// Begins a scan, which goes on until it is stopped; sightings are `advertised` actions.
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

// Dialling: from the wish for a connection to the usable link.
extension HostCore {
    /// Asks for a connection; the answer is a `completed` action with the link.
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
        let earlier = links.values.first { $0.identity == identity || $0.peer == target }
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
            sightedAddresses.address(of: identity, now: now) == nil
        {
            // Whoever asks for a private address has just heard it.
            sightedAddresses.note(target, of: identity, now: now)
        }
        if resolver.knows(identity) { updateRecognition(now: now) }
        if earlier == nil { schedule(id, now: now) }
    }

    /// A link to this peer has ended: whoever wants the next one has waited for that.
    mutating func peerParted(_ link: LinkState, with error: HostError, now: Instant) {
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

    /// Gives a dial up, and ends its link if there is one already.
    package mutating func cancelDial(_ id: RequestIdentifier, now: Instant) {
        guard let dial = dials.removeValue(forKey: id) else { return }
        defer { updateScan(now: now) }
        switch dial.phase {
        case .dialling, .turning:
            perform(scheduler.cancel(id.rawValue, now: now), now: now)
        case .establishing(let link):
            guard let handle = handles[link] else { return }
            links[handle]?.dial = nil
            disconnect(handle, request: nil, now: now)
        case .looking, .parting, .resting: break
        }
    }

    mutating func expireDials(now: Instant) {
        for id in dials.keys {
            // One that ends may take others along: each is looked up when it is its turn.
            guard let deadline = dials[id]?.deadline, deadline <= now else { continue }
            cancelDial(id, now: now)
            fail(id, HostError.timedOut)
        }
    }

    /// The link of a dial proved usable: the dial is done.
    mutating func dialEstablished(_ id: RequestIdentifier, link: LinkState) {
        guard dials.removeValue(forKey: id) != nil else { return }
        complete(id, .link(link.identifier, link.identity))
    }

    /// The link of a dial ended before it proved usable. A peer that never joined the link may
    /// join the next; an adapter that failed may come back for those who wait.
    mutating func dialFell(_ id: RequestIdentifier, with error: HostError, now: Instant) {
        guard dials[id] != nil else { return }
        defer { updateScan(now: now) }
        dials[id]?.phase = .dialling
        dials[id]?.trialEndsAt = nil
        dials[id]?.failedEstablishments += 1
        guard isWorthAnotherAttempt(id, after: error), let rest = dials[id]?.rest else {
            return dialFailed(id, with: error.asFailureToConnect)
        }
        guard rest > .zero else { return schedule(id, now: now) }
        dials[id]?.phase = .resting(until: now + rest)
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

// The scheduler, which decides what the controller's one scanner and one initiator do.
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
        case .acceptListLent: perform(advertiser.acceptListGranted(now: now), now: now)
        case .connected, .unexpectedConnection, .scanStateChanged, .scanEnded: break
        }
    }
}
