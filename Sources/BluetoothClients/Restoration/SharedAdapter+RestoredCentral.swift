// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Restoring a central manager after an earlier process was killed. The steps, in this order:
//
// 1. The manager is opened: `willRestoreState` is posted, before any state.
// 2. Bluetooth is on, and the state is posted. The scan and the connection requests start. The
//    requests have no timeout.
// 3. A link opens: the peer's database is compared with the attributes that the application knows.
//    The peer is not asked for the whole database if the host's stored copy is still valid.
// 4. `didConnect` is posted, then `didModifyServices` if services changed. The subscriptions are
//    renewed. The application gets an event only for those that fail.
//
// If the link ends before step 4, the application is not informed, and the connection request is
// repeated.
//
// A peer whose link still exists in step 1, because the system kept it
// (`SharedAdapter+EndedProcess.swift`), is restored as connected. Its `didConnect` is omitted, and
// the end of its link is reported.
extension SharedAdapter {
    /// Reads the stored intents of a manager that was opened, and sends it the restored state.
    func restore(_ session: CentralSession) {
        openRecords()
        guard let identifier = session.restoreIdentifier else { return }
        let key = RestorationKey(role: .central, identifier: identifier)
        guard take(key, for: session.identifier) else { return }
        guard let intents: CentralIntents = recall(key), !intents.isEmpty else {
            return releasePlaceholder(for: session.identifier)
        }
        let restored = RestoredCentral(
            peers: intents.peers.map { peer in
                .init(intent: peer, request: .next(), isConnected: isLinked(peer.identifier))
            },
            scan: intents.scan
        )
        restoration.awaitingPower[session.identifier] = restored
        post(.restored(restored), to: session)
    }

    /// Returns whether there is a link that a new connection request gets at once.
    private func isLinked(_ peer: PeerIdentifier) -> Bool {
        state == .poweredOn && central.core.link(to: peer) != nil
    }

    /// Starts the restored connection requests and scans. Called after the managers were informed
    /// that Bluetooth is on.
    func resumeRestored() {
        for session in restoration.awaitingPower.keys.sorted() {
            guard let restored = restoration.awaitingPower.removeValue(forKey: session) else {
                continue
            }
            for peer in restored.peers { resume(peer, for: session) }
            if let scan = restored.scan { startScan(scan, for: session) }
            releasePlaceholder(for: session)
        }
    }

    private func resume(_ peer: RestoredCentral.Peer, for session: SessionIdentifier) {
        let intent = peer.intent
        if let table = intent.table {
            client.tables[session, default: [:]][intent.identifier] = table
        }
        restoration.awaitingLink[session, default: [:]][intent.identifier] = RestoredPeer(
            reconnects: intent.reconnects,
            isShown: peer.isConnected,
            table: intent.table
        )
        connect(intent.identifier, for: session, peer.request, reconnects: intent.reconnects)
    }

    /// Removes a restored peer that the manager canceled or released.
    ///
    /// - Parameter request: The connection request that the manager released; `nil` for any.
    func forgetRestored(
        _ peer: PeerIdentifier,
        for session: SessionIdentifier,
        _ request: ConnectionRequestNumber? = nil
    ) {
        restoration.awaitingPower[session]?.peers.removeAll { restored in
            restored.intent.identifier == peer && (request == nil || restored.request == request)
        }
        guard request == nil || central.core.request(of: session, for: peer) == request else {
            return
        }
        restoration.awaitingLink[session]?[peer] = nil
    }
}

// The link of a restored peer.
extension SharedAdapter {
    /// Returns whether `connected` must not be posted to the manager. This is the case while the
    /// peer's database is being compared, and if the manager was restored with the connection.
    func holdsBack(_ peer: PeerIdentifier, from session: SessionIdentifier) -> Bool {
        guard let restored = restoration.awaitingLink[session]?[peer],
            let link = central.core.link(of: session, to: peer)
        else { return false }
        guard restored.link != link else { return true }
        guard let table = restored.table, !table.services.isEmpty else {
            restoration.awaitingLink[session]?[peer] = nil
            return restored.isShown
        }
        restoration.awaitingLink[session]?[peer]?.link = link
        port.begin(.database, on: link) { [weak self] result in
            self?.assumeIsolated { $0.databaseRead(result, of: peer, on: link, for: session) }
        }
        return true
    }

    /// Handles the end of a link.
    ///
    /// - Returns: `true` if the manager has not been informed of the link, and must not be informed
    ///   of the end either. The connection request is then repeated.
    func connectsAgain(
        _ peer: PeerIdentifier,
        for session: SessionIdentifier,
        _ request: ConnectionRequestNumber
    ) -> Bool {
        guard let restored = restoration.awaitingLink[session]?[peer], state == .poweredOn else {
            return false
        }
        guard !restored.isShown else {
            // The application knows the link, so the end of the link is reported.
            restoration.awaitingLink[session]?[peer] = nil
            return false
        }
        restoration.awaitingLink[session]?[peer]?.link = nil
        guard central.core.request(of: session, for: peer) == nil else { return true }
        connect(peer, for: session, request, reconnects: restored.reconnects)
        return true
    }

    /// Compares the peer's database with the attributes that the application knows, and continues
    /// the manager's session. If the database could not be read, all services that the application
    /// knows count as changed.
    private func databaseRead(
        _ result: Result<PortAnswer, any Error>,
        of peer: PeerIdentifier,
        on link: LinkIdentifier,
        for session: SessionIdentifier
    ) {
        guard let restored = restoration.awaitingLink[session]?[peer], restored.link == link,
            central.core.link(of: session, to: peer) == link, let table = restored.table,
            let request = central.core.request(of: session, for: peer)
        else { return }
        // If the link ended, `connectsAgain` repeats the connection request.
        if case .failure(let error) = result, ClientFailure.error(error) == nil { return }
        restoration.awaitingLink[session]?[peer] = nil
        var stale = Set(table.services.map(\.origin.handle))
        if case .success(.database(let database)) = result {
            stale = table.stale(in: database)
        }
        if !restored.isShown { post(.connected(peer, request), to: session) }
        continueSession(with: table, without: stale, of: peer, for: session)
        releasePlaceholder(of: peer, for: session)
    }

    /// Gives a restored session its attributes without the services that changed, and subscribes
    /// again.
    private func continueSession(
        with table: RemoteTable,
        without stale: Set<AttributeHandle>,
        of peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        let gone = table.services.filter { stale.contains($0.origin.handle) }
        if !gone.isEmpty {
            let ranges = gone.map(\.origin.handles)
            let event = RemoteEvent.servicesModified(ranges, isReportedByPeer: false)
            post(.peripheral(peer, event), to: session)
        }
        let kept = RemoteTable(
            services: table.services.filter { !stale.contains($0.origin.handle) }
        )
        client.tables[session, default: [:]][peer] = kept
        // The application gets an event for the subscriptions that fail.
        for characteristic in kept.notifying {
            ask(.renotify(characteristic), of: peer, for: session)
        }
    }
}

// The intents of a central manager.
extension SharedAdapter {
    func centralIntents(of session: SessionIdentifier) -> CentralIntents {
        var intents = CentralIntents()
        if let restored = restoration.awaitingPower[session] {
            intents.peers = restored.peers.map(\.intent)
            intents.scan = restored.scan
            return intents
        }
        // Only the latest requests are stored, and the others would take time with many peers.
        let requests = central.core.requests(of: session, limit: CentralIntents.peerLimit)
        intents.peers = requests.map { request in
            CentralIntents.Peer(
                identifier: request.peer,
                name: name(of: request.peer),
                reconnects: request.reconnects,
                table: client.tables[session]?[request.peer]
            )
        }
        intents.scan = central.sessions[session]?.scan
        return intents
    }

    /// Adds the contents of an event to the manager's intents, before the manager receives the
    /// event. Changed intents are stored at once, with two exceptions. A disconnection and a failed
    /// connection request only schedule the storing. Discovered attributes are stored as
    /// `intentsGrew` describes.
    func remember(_ event: CentralEvent, of session: SessionIdentifier) {
        guard restoration.key(of: session) != nil else { return }
        switch event {
        case .disconnected(let peer, let end):
            if end.isReconnecting {
                client.tables[session]?[peer]?.endSubscriptions()
            } else {
                client.tables[session]?[peer] = nil
            }
            // The intents are stored later. When a host is shut down, its links end before its
            // state changes, and no intents are stored while Bluetooth is off.
            return intentsChanged(of: session)
        case .failedToConnect(let peer, _, _):
            client.tables[session]?[peer] = nil
            restoration.awaitingLink[session]?[peer] = nil
            return intentsChanged(of: session)
        case .peripheral(let peer, let event): remember(event, of: peer, for: session)
        case .connected: break
        case .stateChanged, .restored, .discovered, .connectionEvent: return
        }
        storeIntents(of: session)
    }

    private func remember(
        _ event: RemoteEvent,
        of peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        let former = client.tables[session]?[peer] ?? RemoteTable()
        var table = former
        table.take(event)
        if table != former {
            client.tables[session, default: [:]][peer] = table
            restoration.unstored.insert(session)
        }
        guard restoration.unstored.contains(session) else { return }
        switch event {
        case .notifyingSet, .servicesModified: intentsChanged(of: session)
        default: intentsGrew(of: session)
        }
    }
}
