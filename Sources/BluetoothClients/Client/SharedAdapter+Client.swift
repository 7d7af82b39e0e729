// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The adapter's state for managers that use the services of peers.
struct ClientPart: Sendable {
    struct Link: Sendable {
        let peer: PeerIdentifier
        var core: ClientCore
    }

    var links: [LinkIdentifier: Link] = [:]
    /// The attributes that managers with state restoration discovered.
    var tables: [SessionIdentifier: [PeerIdentifier: RemoteTable]] = [:]
}

extension SharedAdapter {
    /// Starts a manager's request to a peripheral. Does nothing if the manager is no longer
    /// connected to the peripheral: an event reports the disconnection.
    package func ask(
        _ request: ClientRequest,
        of peer: PeerIdentifier,
        for session: SessionIdentifier
    ) {
        guard let link = central.core.link(of: session, to: peer) else { return }
        open(link, to: peer)
        guard let actions = client.links[link]?.core.ask(request, for: session) else { return }
        perform(actions, on: link)
    }

    /// Prepares a link for requests.
    private func open(_ link: LinkIdentifier, to peer: PeerIdentifier) {
        guard client.links[link] == nil else { return }
        client.links[link] = .init(peer: peer, core: ClientCore())
    }

    /// Reads the signal strength of a link for a manager.
    package func readRSSI(of peer: PeerIdentifier, for session: SessionIdentifier) {
        guard let link = central.core.link(of: session, to: peer) else { return }
        port.begin(.readRSSI, on: link) { [weak self] result in
            self?.assumeIsolated { $0.rssiRead(result, of: peer, for: session) }
        }
    }

    private func rssiRead(
        _ result: Result<PortAnswer, any Error>,
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
        _ request: PortRequest,
        _ job: ClientCore.JobIdentifier,
        on link: LinkIdentifier
    ) {
        port.begin(request, on: link) { [weak self] result in
            self?.assumeIsolated { $0.completed(job, result, on: link) }
        }
    }

    private func completed(
        _ job: ClientCore.JobIdentifier,
        _ result: Result<PortAnswer, any Error>,
        on link: LinkIdentifier
    ) {
        guard let actions = client.links[link]?.core.completed(job, result) else { return }
        perform(actions, on: link)
    }
}

// Events of the host.
extension SharedAdapter {
    /// Sends a notified or indicated value to the managers that subscribed. The value is
    /// dropped if too many events wait.
    func notified(_ value: ArraySlice<UInt8>, of handle: AttributeHandle, on link: LinkIdentifier) {
        // Reads only these members, because copying the whole entry is slow.
        guard let peer = client.links[link]?.peer,
            let receivers = client.links[link]?.core.subscriptions.receivers(of: handle)
        else { return }
        let event = CentralEvent.peripheral(peer, .valueReceived(handle, value))
        for session in receivers {
            let delivery = central.sessions[session]?.delivery
            delivery?.post(event, from: executor, isDispensable: event.isDispensable)
        }
    }

    func servicesChanged(
        _ ranges: [ClosedRange<AttributeHandle>],
        isReported: Bool,
        on link: LinkIdentifier
    ) {
        guard let peer = central.core.peer(of: link) else { return }
        open(link, to: peer)
        let actions = client.links[link]?.core.servicesChanged(ranges, isReported: isReported)
        perform(actions ?? [], on: link)
    }

    func tableOutdated(on link: LinkIdentifier) {
        guard let actions = client.links[link]?.core.tableOutdated() else { return }
        perform(actions, on: link)
    }

    /// Removes a manager from a link that other managers may still use. Called before the manager
    /// gets its disconnection.
    func clientLeft(_ session: SessionIdentifier, _ peer: PeerIdentifier) {
        guard let link = central.core.link(to: peer),
            let actions = client.links[link]?.core.left(session)
        else { return }
        perform(actions, on: link)
    }
}
