// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations

// A central manager that goes on where an earlier process was killed. What happens, in this order:
//
// 1. the manager is opened: `willRestoreState` is posted, before any state;
// 2. the adapter is powered on, and the state is posted: the peers are dialled, for as long as it
//    takes, and the scan runs;
// 3. a link is there: the peer's table is compared with what the application knows of it, without
//    asking the peer for all of it if the host has kept it and it holds;
// 4. `didConnect` is posted; then `didModifyServices`, if something is different; and what was
//    listened to is subscribed to again, of which the application hears only if it fails.
//
// A link that goes before 4 was none for the application: the peer is dialled again.
extension SharedAdapter {
    /// Finds what is kept for a manager that has just been opened, and has it told.
    func restore(_ session: CentralSession) {
        openRecords()
        guard let identifier = session.restoreIdentifier else { return }
        let key = RestorationKey(role: .central, identifier: identifier)
        guard take(key, for: session.identifier),
            let intents: CentralIntents = recall(key), !intents.isEmpty
        else { return }
        let restored = RestoredCentral(
            peers: intents.peers.map { peer in
                .init(intent: peer, wish: .next(), isConnected: isLinked(peer.identifier))
            },
            scan: intents.scan
        )
        restoration.awaitingPower[session.identifier] = restored
        post(.restored(restored), to: session)
    }

    /// Whether there is a link that a manager that is opened now has at once.
    private func isLinked(_ peer: PeerIdentifier) -> Bool {
        state == .poweredOn && central.core.link(to: peer) != nil
    }

    /// The adapter is powered on, and managers were told so.
    func resumeRestored() {
        for session in restoration.awaitingPower.keys.sorted() {
            guard let restored = restoration.awaitingPower.removeValue(forKey: session) else {
                continue
            }
            for peer in restored.peers { resume(peer, for: session) }
            if let scan = restored.scan { startScan(scan.wish, for: session) }
        }
    }

    private func resume(_ peer: RestoredCentral.Peer, for session: SessionIdentifier) {
        let intent = peer.intent
        if let table = intent.table { adopt(table, of: intent.identifier, for: session) }
        restoration.awaitingLink[session, default: [:]][intent.identifier] = RestoredPeer(
            reconnects: intent.reconnects,
            table: intent.table
        )
        connect(intent.identifier, for: session, peer.wish, reconnects: intent.reconnects)
    }

    /// A manager has let go of a peer that it has asked for with this wish.
    func forgetRestored(
        _ peer: PeerIdentifier,
        for session: SessionIdentifier,
        _ wish: WishNumber? = nil
    ) {
        restoration.awaitingPower[session]?.peers.removeAll { restored in
            restored.intent.identifier == peer && (wish == nil || restored.wish == wish)
        }
        guard wish == nil || central.core.wish(of: session, for: peer) == wish else { return }
        restoration.awaitingLink[session]?[peer] = nil
    }
}

// A restored peer's link.
extension SharedAdapter {
    /// Whether the manager is not to hear of a connection yet.
    func holdsBack(_ peer: PeerIdentifier, from session: SessionIdentifier) -> Bool {
        guard let restored = restoration.awaitingLink[session]?[peer],
            let link = central.core.link(of: session, to: peer)
        else { return false }
        guard restored.link != link else { return true }
        guard let table = restored.table, !table.services.isEmpty else {
            restoration.awaitingLink[session]?[peer] = nil
            return false
        }
        restoration.awaitingLink[session]?[peer]?.link = link
        _ = onHost { host in
            host.begin(.database, on: link) { [weak self] result in
                self?.assumeIsolated { $0.looked(at: result, of: peer, on: link, for: session) }
            }
        }
        return true
    }

    /// Whether a link is gone of which the manager has not heard: it is dialled again.
    func redials(
        _ peer: PeerIdentifier,
        for session: SessionIdentifier,
        _ wish: WishNumber
    ) -> Bool {
        guard let restored = restoration.awaitingLink[session]?[peer], state == .poweredOn else {
            return false
        }
        restoration.awaitingLink[session]?[peer]?.link = nil
        guard central.core.wish(of: session, for: peer) == nil else { return true }
        connect(peer, for: session, wish, reconnects: restored.reconnects)
        return true
    }

    /// The peer's table is known, or cannot be: then nothing that was known of it holds.
    private func looked(
        at result: Result<HostAnswer, any Error>,
        of peer: PeerIdentifier,
        on link: LinkIdentifier,
        for session: SessionIdentifier
    ) {
        guard let restored = restoration.awaitingLink[session]?[peer], restored.link == link,
            central.core.link(of: session, to: peer) == link, let table = restored.table,
            let wish = central.core.wish(of: session, for: peer)
        else { return }
        restoration.awaitingLink[session]?[peer] = nil
        var stale = Set(table.services.map(\.origin.handle))
        if case .success(.database(let database)) = result {
            stale = table.stale(in: database)
        }
        post(.connected(peer, wish), to: session)
        goOn(with: table, without: stale, of: peer, for: session)
    }

    private func goOn(
        with table: RememberedTable,
        without stale: Set<AttributeHandle>,
        of peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        let gone = table.services.filter { stale.contains($0.origin.handle) }
        if !gone.isEmpty {
            let ranges = gone.map(\.origin.handles)
            let news = PeripheralEvent.servicesModified(ranges, isToldByPeer: false)
            post(.peripheral(peer, news), to: session)
        }
        let kept = table.services.filter { !stale.contains($0.origin.handle) }
        adopt(RememberedTable(services: kept), of: peer, for: session)
        resubscribe(peer, for: session)
    }
}

// What a central manager wants now.
extension SharedAdapter {
    func centralIntents(of session: SessionIdentifier) -> CentralIntents {
        var intents = CentralIntents()
        if let restored = restoration.awaitingPower[session] {
            intents.peers = restored.peers.map(\.intent)
            intents.scan = restored.scan
            return intents
        }
        intents.peers = central.core.wishes(of: session).map { wish in
            CentralIntents.Peer(
                identifier: wish.peer,
                name: name(of: wish.peer),
                reconnects: wish.reconnects,
                table: table(of: wish.peer, for: session)
            )
        }
        intents.scan = central.sessions[session]?.scan.map(CentralIntents.Scan.init)
        return intents
    }

    /// Takes in what a manager is about to be told, as far as another process has to go on with it;
    /// and whatever is new in what it wants is kept before.
    func remember(_ event: CentralEvent, of session: SessionIdentifier) {
        guard restoration.key(of: session) != nil else { return }
        switch event {
        case .disconnected(let peer, let parting):
            if parting.isReconnecting {
                client.tables[session]?[peer]?.quiet()
            } else {
                client.tables[session]?[peer] = nil
            }
            // Not at once: links go before a host that is being shut down says that it is.
            return intentsChanged(of: session)
        case .failedToConnect(let peer, _, _):
            client.tables[session]?[peer] = nil
            restoration.awaitingLink[session]?[peer] = nil
            return intentsChanged(of: session)
        case .peripheral(let peer, let event): remember(event, of: peer, for: session)
        case .connected: break
        case .stateChanged, .restored, .discovered, .connectionEvent: return
        }
        keepIntents(of: session)
    }

    private func remember(
        _ event: PeripheralEvent,
        of peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        var table = client.tables[session]?[peer] ?? RememberedTable()
        if table.take(event) {
            client.tables[session, default: [:]][peer] = table
            restoration.unkept.insert(session)
        }
        guard restoration.unkept.contains(session) else { return }
        switch event {
        case .notifyingSet, .servicesModified: intentsChanged(of: session)
        default: intentsGrew(of: session)
        }
    }
}

extension CentralIntents.Scan {
    init(_ wish: ScanWish) {
        services = wish.services
        allowsDuplicates = wish.allowsDuplicates
        solicitedServices = wish.solicited
    }

    /// The scan that it is.
    var wish: ScanWish {
        ScanWish(
            services: services,
            allowsDuplicates: allowsDuplicates,
            solicited: solicitedServices
        )
    }
}
