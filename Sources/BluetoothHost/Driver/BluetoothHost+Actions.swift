// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports

// The core's actions.
extension BluetoothHost {
    /// Performs all actions of the core, sends the packets, and sets the timer. A call from within
    /// a callback returns at once, because the outer call does all of this.
    func drain() {
        guard !isPerforming else { return }
        drainPackets()
        let deadline = core.readNextDeadline()
        guard deadline != timerDeadline else { return }
        timerDeadline = deadline
        timer?.set(to: deadline)
    }

    private func sendPackets() {
        guard !packets.isEmpty else { return }
        transport.send(packets)
        core.reclaim(&packets)
    }

    /// Performs all actions of an input that changed no deadline, and sends the packets.
    func drainPackets() {
        guard !isPerforming else { return }
        performActions()
        sendPackets()
        if areValuesDelivered {
            areValuesDelivered = false
            notifications.wakeReaders()
        }
        if areServerEventsDelivered {
            areServerEventsDelivered = false
            serverEventRouter.wakeReader()
        }
    }

    /// Runs `body`, and afterward performs all actions that it caused.
    func performAsOne(_ body: (isolated BluetoothHost) -> Void) {
        guard !isPerforming else { return body(self) }
        isPerforming = true
        body(self)
        isPerforming = false
        drain()
    }

    func performActions() {
        guard !isPerforming, core.checkActions() || !port.hasNoPendingResults else { return }
        isPerforming = true
        defer { isPerforming = false }
        var (actions, reversed): ([HostAction], [HostAction]) = ([], [])
        swap(&actions, &unusedActions)
        swap(&reversed, &unusedReversedActions)
        defer {
            swap(&actions, &unusedActions)
            swap(&reversed, &unusedReversedActions)
        }
        for _ in 0..<Self.roundsPerDrainLimit {
            core.takeActions(into: &actions)
            if actions.isEmpty, port.hasNoPendingResults { return }
            // An array removes its last element without a copy of it.
            if actions.count > 1 {
                while let action = actions.popLast() { reversed.append(action) }
                swap(&actions, &reversed)
            }
            while let action = actions.popLast() { perform(action) }
            for (completion, result) in port.takePendingResults() { completion(result) }
        }
        // Completions continue to cause actions, so other work of the executor runs first.
        execute { $0.drain() }
    }

    private func perform(_ action: HostAction) {
        switch action {
        case .transmit(let packet): packets.append(packet)
        case .event(let event): perform(event)
        default: performOther(action)
        }
    }

    /// Performs an action that is not as frequent as packets.
    ///
    /// The method is not inlined. Otherwise, the loop over the actions would reserve memory and
    /// check for overlapping accesses on behalf of all cases, even if none of them occurs.
    @inline(never)
    private func performOther(_ action: HostAction) {
        switch action {
        case .transmit, .event: break
        case .reopenTransport: openTransport()
        case .closeTransport:
            transport.close()
            guard core.state == .closed else { break }
            watch?.end()
            // Earlier actions have saved all changed entries.
            closeStore()
        case .completed(let request, let result):
            // A test for no scans is faster than a hash.
            if !scans.isEmpty, let scan = scans.removeValue(forKey: request) {
                if case .failure(let error) = result { scan.finish(throwing: error) }
                scan.finish()
            }
            ended(request, result)
        case .recall(let link, let key): recall(key, of: link)
        case .recallDatabase(let link, let key): recallDatabase(key, of: link)
        case .save(let bytes, let key): save(bytes, as: key)
        case .remove(let key): remove(key)
        case .setAside(let key, let reason): setAside(key, because: reason)
        case .pairing(let link, let event): perform(event, of: link)
        case .usesKey(let key): configuration.keyObserver?(key)
        case .log(let text): log(text)
        }
    }

    /// Resumes the waiter of a request. If the request was canceled, ends the link, the channels or
    /// the advertising set that its answer contains.
    private func ended(_ request: RequestIdentifier, _ result: Result<HostAnswer, any Error>) {
        if !port.scans.isEmpty { port.scans.remove(request) }
        if let waiter = waiting.removeValue(forKey: request) {
            waiter.resume(with: result)
        } else if case .success(let answer) = result {
            release(answer, of: request)
        }
    }

    /// Delivers an event to the streams of the API and to the port's observer.
    private func perform(_ event: HostEvent) {
        switch event {
        case .notified(let link, let handle, let value):
            areValuesDelivered = true
            notifications.deliver(value, for: .init(link: link, handle: handle))
        case .served(let link, let event):
            areServerEventsDelivered = true
            guard deliver(event, of: link) else { return }
        default:
            guard deliverOther(event) else { return }
        }
        port.readObserver()?.hostDid(event)
        if case .stateChanged(.closed) = event { closeStreams() }
    }

    /// Delivers an event that is not as frequent as packets to the streams of the API. The method
    /// is not inlined, for the reason of `performOther(_:)`.
    ///
    /// - Returns: Whether the port's observer gets the event as well.
    @inline(never)
    private func deliverOther(_ event: HostEvent) -> Bool {
        switch event {
        case .stateChanged(let state):
            log(state)
            stateReaders.deliver(state)
            if state == .closed { stateReaders.close() }
        case .advertised(let scan, let advertisement):
            scans[scan]?.yield(advertisement)
            return port.scans.contains(scan)
        case .linkOpened(let link, let peer, let role):
            areServerEventsDelivered = true
            linkOpened(link, peer, role)
        case .mtuChanged, .notified, .served: break
        case .parametersChanged(let link, let parameters):
            parameterReaders[link]?.deliver(parameters)
        case .advertisingEnded(let set, let end): advertisingEnds.ended(set, end)
        case .servicesChanged(let link, let ranges, _):
            log("link \(link.rawValue): services \(ranges) changed")
        case .databaseOutdated(let link):
            log("link \(link.rawValue): the services changed before the host had subscribed")
        case .disconnected(let link, let reason):
            areServerEventsDelivered = true
            return linkEnded(link, reason)
        case .security(let event): securityEventReaders.deliver(event)
        }
        return true
    }

    @inline(never)
    private func closeStreams() {
        serverEventRouter.close()
        incomingLinkReaders.close()
        securityEventReaders.close()
        for waiter in shutdownWaiters { waiter.resume() }
        shutdownWaiters = []
    }
}
