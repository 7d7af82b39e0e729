// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes

/// What an adapter keeps of managers that use the services of peers.
struct ClientPart: Sendable {
    struct Link: Sendable {
        let peer: PeerIdentifier
        var core: ClientCore
    }

    var links: [LinkIdentifier: Link] = [:]
    /// What was known of peripherals when their links ended.
    var lastTables = LastTables()
    /// What managers that are to be restored have discovered.
    var tables: [SessionIdentifier: [PeerIdentifier: RememberedTable]] = [:]
}

extension SharedAdapter {
    /// A manager asks something of a peripheral that it is connected to. Where it is not any more,
    /// which it will hear, nothing comes of it.
    func ask(
        _ request: ClientRequest,
        of peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        guard let link = central.core.link(of: session, to: peer) else { return }
        open(link, to: peer)
        guard let actions = client.links[link]?.core.ask(request, for: session) else { return }
        perform(actions, on: link)
    }

    /// Begins to use a link. What managers have of an earlier one, which is to come back, may be of a
    /// table that has changed meanwhile.
    private func open(_ link: LinkIdentifier, to peer: PeerIdentifier) {
        guard client.links[link] == nil else { return }
        let table = client.lastTables.take(peer)
        client.links[link] = .init(peer: peer, core: ClientCore(table: table))
    }

    /// A manager wants to know how well a peripheral is heard.
    func readRSSI(of peer: PeerIdentifier, for session: SessionIdentifier) {
        guard let link = central.core.link(of: session, to: peer) else { return }
        _ = onHost { host in
            host.begin(.readRSSI, on: link) { [weak self] result in
                self?.assumeIsolated { $0.rssiRead(result, of: peer, for: session) }
            }
        }
    }

    private func rssiRead(
        _ result: Result<HostAnswer, any Error>,
        of peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        switch result {
        case .success(.rssi(let rssi)):
            post(
                .peripheral(peer, .rssiRead(.success(rssi ?? SignalStrength.unknown))),
                to: session
            )
        case .success: break
        case .failure(let error):
            guard let error = ClientFailure.error(error) else { return }
            post(.peripheral(peer, .rssiRead(.failure(error))), to: session)
        }
    }

    private func perform(_ actions: [ClientCore.Action], on link: LinkIdentifier) {
        guard let peer = client.links[link]?.peer else { return }
        for action in actions {
            switch action {
            case .begin(let request, let job): begin(request, job, on: link)
            case .post(let event, let session): post(.peripheral(peer, event), to: session)
            case .postToAll(let event):
                for session in central.core.users(of: peer) {
                    post(.peripheral(peer, event), to: session)
                }
            case .servicesKnown(let services):
                facts.withLock { facts in
                    guard facts.links[peer] != nil else { return }
                    facts.links[peer] = Set(services.map(\.uuid))
                }
            }
        }
    }

    private func begin(
        _ request: LinkRequest,
        _ job: ClientCore.JobIdentifier,
        on link: LinkIdentifier
    ) {
        _ = onHost { host in
            host.begin(request, on: link) { [weak self] result in
                self?.assumeIsolated { $0.completed(job, result, on: link) }
            }
        }
    }

    private func completed(
        _ job: ClientCore.JobIdentifier,
        _ result: Result<HostAnswer, any Error>,
        on link: LinkIdentifier
    ) {
        guard let actions = client.links[link]?.core.completed(job, result) else { return }
        perform(actions, on: link)
    }
}

// What the host tells.
extension SharedAdapter {
    /// A value that was not asked for: to whoever wants it, and dropped if too many wait already.
    func notified(_ value: ArraySlice<UInt8>, of handle: AttributeHandle, on link: LinkIdentifier) {
        // Not the whole entry, which is large to copy.
        guard let peer = client.links[link]?.peer,
            let receivers = client.links[link]?.core.subscriptions.receivers(of: handle)
        else { return }
        let event = CentralEvent.peripheral(peer, .valueArrived(handle, value))
        for session in receivers {
            guard let session = central.sessions[session] else { continue }
            post(event, to: session)
        }
    }

    func servicesChanged(_ handles: ClosedRange<AttributeHandle>, on link: LinkIdentifier) {
        guard let peer = central.core.peer(of: link) else { return }
        open(link, to: peer)
        guard let actions = client.links[link]?.core.tableChanged(handles) else { return }
        perform(actions, on: link)
    }

    func clientMTUChanged(_ mtu: Int, on link: LinkIdentifier) {
        guard let peer = central.core.peer(of: link) else { return }
        facts.withLock { $0.mtus[peer] = mtu }
    }

    /// A link is gone; the managers that used it are told after this.
    func clientLinkClosed(_ link: LinkIdentifier, _ error: HostError) {
        let entry = client.links.removeValue(forKey: link)
        guard let peer = central.core.peer(of: link) else { return }
        client.lastTables.keep(entry?.core.lastTable, of: peer)
        facts.withLock { $0.mtus[peer] = nil }
    }

    /// A manager has let go of a link that others may still use; called before it is told.
    func clientLeft(_ session: SessionIdentifier, _ peer: PeerIdentifier) {
        guard let link = central.core.link(to: peer),
            let actions = client.links[link]?.core.left(session)
        else { return }
        perform(actions, on: link)
    }
}

/// The tables that peripherals had, of those that were connected last.
struct LastTables: Sendable {
    /// How many are kept.
    static let limit = 64

    private var tables: [(peer: PeerIdentifier, table: GATT.Database)] = []

    mutating func keep(_ table: GATT.Database?, of peer: PeerIdentifier) {
        guard let table else { return }
        _ = take(peer)
        if tables.count == Self.limit { tables.removeFirst() }
        tables.append((peer, table))
    }

    /// What is kept of a peripheral, and is not any more.
    mutating func take(_ peer: PeerIdentifier) -> GATT.Database? {
        guard let place = tables.firstIndex(where: { $0.peer == peer }) else { return nil }
        return tables.remove(at: place).table
    }
}
