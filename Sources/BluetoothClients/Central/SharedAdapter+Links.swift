// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation

// Links.
extension SharedAdapter {
    /// Adds a manager's connection request, which has no timeout.
    ///
    /// - Parameter delay: The time before the request starts.
    package func connect(
        _ peer: PeerIdentifier,
        for session: SessionIdentifier,
        _ request: ConnectionRequestNumber,
        reconnects: Bool,
        after delay: Duration = .zero
    ) {
        deferRequest(request, of: session, for: peer, by: delay)
        perform(
            central.core.connect(
                session,
                peer,
                request,
                reconnects: reconnects,
                isDeferred: delay > .zero
            )
        )
        intentsChanged(of: session)
    }

    /// Cancels a manager's connection or connection request.
    package func cancel(_ peer: PeerIdentifier, for session: SessionIdentifier) {
        forgetRestored(peer, for: session)
        releasePlaceholder(of: peer, for: session)
        perform(central.core.cancel(session, peer))
        intentsChanged(of: session)
    }

    /// Cancels the connection request of a peripheral that the application released, or that is not
    /// to reconnect because the manager's delegate does not support it.
    package func release(
        _ peer: PeerIdentifier,
        for session: SessionIdentifier,
        _ request: ConnectionRequestNumber
    ) {
        forgetRestored(peer, for: session, request)
        let actions = central.core.release(session, peer, request)
        if central.core.link(of: session, to: peer) == nil { clientLeft(session, peer) }
        perform(actions)
        if central.core.request(of: session, for: peer) == nil {
            releasePlaceholder(of: peer, for: session)
            client.tables[session]?[peer] = nil
        }
        intentsChanged(of: session)
    }

    func centralLinkOpened(
        _ link: LinkIdentifier,
        to peer: PeerIdentifier,
        isIncoming: Bool
    ) {
        // A link that opens while Bluetooth is off for the managers ends at once.
        guard state == .poweredOn else { return end(link) }
        if !isIncoming { central.connectionRequests[peer] = nil }
        let isFirst = central.core.link(to: peer) == nil
        let services = servicesKnown(of: peer, on: link)
        facts.withLock { $0.links[peer, default: []].formUnion(services) }
        if isFirst { sendConnectionEvent(true, of: peer, with: services) }
        let actions = central.core.linkOpened(link, to: peer, isIncoming: isIncoming)
        noteMTU(of: peer)
        perform(actions)
    }

    func centralLinkClosed(_ link: LinkIdentifier, _ error: PortError) {
        central.askedForName.remove(link)
        guard let peer = central.core.peer(of: link) else { return }
        switch error {
        case .unavailable:
            // An adapter of the system's daemon ends its links before it changes its state. The
            // managers get only the new state. A host changes its state first, and
            // `centralLostPower()` has then already removed the link from the core.
            restoration.isFrozen = true
            perform(central.core.powerLost())
        default:
            let actions = central.core.linkClosed(link, error)
            noteMTU(of: peer)
            // A peer that has another link is still connected.
            if central.core.link(to: peer) == nil {
                let services = facts.withLock { $0.links.removeValue(forKey: peer) }
                sendConnectionEvent(false, of: peer, with: services ?? [])
            }
            perform(actions)
        }
    }

    /// Updates the ATT MTU of the peer's current link in the snapshot.
    func noteMTU(of peer: PeerIdentifier) {
        let mtu = central.core.link(to: peer).flatMap { server.links.mtu(of: $0) }
        facts.withLock { $0.mtus[peer] = mtu }
    }

    func perform(_ actions: [CentralCore.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: CentralCore.Action) {
        switch action {
        case .requestConnection(let peer): requestConnection(peer)
        case .cancelConnectionRequest(let peer):
            guard let pending = central.connectionRequests.removeValue(forKey: peer) else { return }
            port.cancelConnectionRequest(pending.request)
        case .disconnect(let link): end(link)
        case .connected(let session, let peer, let request):
            learnName(of: peer)
            guard !holdsBack(peer, from: session) else { return }
            post(.connected(peer, request), to: session)
        case .failed(let session, let peer, let request, let error):
            post(.failedToConnect(peer, request, ClientError(error)), to: session)
        case .disconnected(let session, let peer, let request, let ending):
            clientLeft(session, peer)
            guard !connectsAgain(peer, for: session, request) else { return }
            post(.disconnected(peer, ConnectionEnd(request, ending)), to: session)
        }
    }

    func end(_ link: LinkIdentifier) {
        port.begin(.disconnect, on: link) { _ in }
    }

    private func requestConnection(_ peer: PeerIdentifier) {
        central.lastRequestNumber += 1
        let number = central.lastRequestNumber
        let request = port.connect(to: peer) { [weak self] error in
            self?.assumeIsolated { $0.connectionRequestFailed(number, to: peer, error) }
        }
        central.connectionRequests[peer] = CentralPart.ConnectionRequest(
            number: number,
            request: request
        )
    }

    private func connectionRequestFailed(
        _ number: Int,
        to peer: PeerIdentifier,
        _ error: PortError
    ) {
        // A canceled request may end after another one replaced it.
        guard central.connectionRequests[peer]?.number == number else { return }
        central.connectionRequests[peer] = nil
        perform(central.core.connectionRequestFailed(peer, error))
    }
}

extension ConnectionEnd {
    fileprivate init(_ request: ConnectionRequestNumber, _ ending: CentralCore.Ending) {
        self.request = request
        timestamp = Date().timeIntervalSinceReferenceDate
        switch ending {
        case .asked:
            error = nil
            isReconnecting = false
        case .lost(let reason, let isReconnecting):
            error = ClientError(reason)
            self.isReconnecting = isReconnecting
        }
    }
}
