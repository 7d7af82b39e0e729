// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The adapter's state for peripheral managers.
struct ServerPart: Sendable {
    /// A value that waits to be sent to its subscribers.
    struct Update: Sendable {
        let session: SessionIdentifier
        /// The links on which the value has not been sent.
        var links: Set<LinkIdentifier>
        /// Whether the value was delivered on every link that has finished so far.
        var isDelivered = true
        /// Receives whether the value was delivered on all links.
        let completion: (@Sendable (Bool) -> Void)?
    }

    var sessions: [SessionIdentifier: PeripheralManagerSession] = [:]
    var tree = PublishedTree()
    /// The services to unpublish as soon as no service includes them.
    var servicesToUnpublish: [GATT.DiscoveredService] = []
    var subscriptions = SubscriptionRegistry()
    var questions = PendingRequests()
    var links = ServedLinks()
    /// The values that wait to be sent. `PendingUpdateCount` bounds their number.
    var updates: [Int: Update] = [:]
    var lastUpdate = 0
    var advertising = AdvertisingPart()
}

// Opening and closing managers.
extension SharedAdapter {
    package func open(_ session: PeripheralManagerSession) {
        server.sessions[session.identifier] = session
        restore(session)
        noteProtection()
        if state != .unknown { sendState(toPeripheralManager: session.identifier) }
        if state == .poweredOn { resumeAdvertising() }
    }

    /// Removes a manager that was released, with its services and its advertising.
    package func close(peripheralManager session: SessionIdentifier) {
        restoration.remove(session)
        for question in server.questions.leave(session) { refuse(question) }
        closeListeners(of: session)
        stopAdvertising(for: session)
        unpublishAll(of: session)
        server.advertising.stopCounts[session] = nil
        server.sessions[session] = nil
    }

    /// Sends the state to a manager. If the manager's advertising continues, an event reports that
    /// first, so that `isAdvertising` is `true` when the delegate gets the state `poweredOn`.
    func sendState(toPeripheralManager session: SessionIdentifier) {
        if state == .poweredOn, server.advertising.plan.advertisement(of: session) != nil {
            reportAdvertising(session, isOnAir: true)
        }
        server.sessions[session]?.statesSent += 1
        post(PeripheralManagerEvent.stateChanged(state), to: session)
    }

    func post(_ event: PeripheralManagerEvent, to session: SessionIdentifier) {
        guard let entry = server.sessions[session] else { return }
        storeIntents(of: session)
        post(event, to: entry)
    }
}

// Bluetooth turning on and off.
extension SharedAdapter {
    /// Ends subscriptions and pauses advertising, because Bluetooth is off. Services stay
    /// published.
    func serverLostPower() {
        // Begins with the oldest link of a peer. If the newest one came first, an older one would
        // become the current link, and the application would see a new subscription.
        for link in server.links.identifiers { unsubscribeAll(on: link) }
        server.tree.powerLost()
        pauseAdvertising()
    }

    func serverGainedPower() { resumeAdvertising() }

    /// Removes services and advertising if the state's number is below that of `poweredOff`, for
    /// example in the state `resetting`. The application has to add and start them again.
    func serverStateChanged() {
        guard state.rawValue < ManagerState.poweredOff.rawValue else { return }
        forgetAdvertising()
        for session in server.sessions.keys { unpublishAll(of: session) }
    }
}

// Links.
extension SharedAdapter {
    func serverLinkOpened(_ link: LinkIdentifier, to peer: PeerIdentifier, isIncoming: Bool) {
        server.links.open(link, to: peer, isIncoming: isIncoming)
        postLength(of: peer)
        guard isIncoming else { return }
        switches.change { _ = $0.pairingConditions.linksToCentrals.insert(link) }
    }

    func serverLinkClosed(_ link: LinkIdentifier) {
        unsubscribeAll(on: link)
        server.questions.linkClosed(link)
        let peer = server.links.peer(of: link)
        server.links.close(link)
        if let peer { postLength(of: peer) }
        switches.change { _ = $0.pairingConditions.linksToCentrals.remove(link) }
    }

    func serverMTUChanged(_ mtu: Int, on link: LinkIdentifier) {
        server.links.setMTU(mtu, of: link)
        if let peer = server.links.peer(of: link) { postLength(of: peer) }
    }

    /// Informs the managers of the maximum length of the values for a peer. At most one such event
    /// waits for a manager, which reads the lengths when it gets the event.
    private func postLength(of peer: PeerIdentifier) {
        let isConnected = server.links.newest(to: peer) != nil
        let length = isConnected ? server.links.central(peer).maximumUpdateValueLength : nil
        facts.withLock { $0.valueLengths[peer] = length }
        guard isConnected else { return }
        for session in server.sessions.values where session.waitingLengths.current == 0 {
            post(.lengthsChanged, to: session)
        }
    }
}
