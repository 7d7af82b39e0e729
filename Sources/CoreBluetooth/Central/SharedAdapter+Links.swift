// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Foundation

// Links.
extension SharedAdapter {
    /// A manager wants a link to a peer, for as long as it takes.
    ///
    /// - Parameter delay: how long nothing is done for it.
    func connect(
        _ peer: PeerIdentifier,
        for session: SessionIdentifier,
        _ wish: WishNumber,
        reconnects: Bool,
        after delay: Duration = .zero
    ) {
        deferWish(wish, of: session, for: peer, by: delay)
        perform(
            central.core.connect(
                session,
                peer,
                wish,
                reconnects: reconnects,
                isDeferred: delay > .zero
            )
        )
        intentsChanged(of: session)
    }

    /// A manager lets go of a link, or of its wish for one.
    func cancel(_ peer: PeerIdentifier, for session: SessionIdentifier) {
        forgetRestored(peer, for: session)
        perform(central.core.cancel(session, peer))
        intentsChanged(of: session)
    }

    /// A manager holds its `CBPeripheral` no more.
    func release(_ peer: PeerIdentifier, for session: SessionIdentifier, _ wish: WishNumber) {
        forgetRestored(peer, for: session, wish)
        let actions = central.core.release(session, peer, wish)
        if central.core.link(of: session, to: peer) == nil { clientLeft(session, peer) }
        perform(actions)
        intentsChanged(of: session)
    }

    /// The delegate of a manager is one for which nothing reconnects.
    func stopReconnecting(
        _ peer: PeerIdentifier,
        for session: SessionIdentifier,
        _ wish: WishNumber
    ) {
        perform(central.core.stopReconnecting(session, peer, wish))
        intentsChanged(of: session)
    }

    func centralLinkOpened(_ link: LinkIdentifier, to address: DeviceAddress, _ role: LinkRole) {
        // Whoever comes while Bluetooth is switched off finds nobody.
        guard state == .poweredOn else { return end(link) }
        let peer = onHost { $0.identifier(of: address) }
        let services = servicesKnown(of: peer, on: link)
        facts.withLock { $0.links[peer] = services }
        tellConnectionEvent(.peerConnected, of: peer, with: services)
        perform(central.core.linkOpened(link, to: peer, isIncoming: role == .peripheral))
    }

    func centralLinkClosed(_ link: LinkIdentifier, _ error: HostError) {
        central.askedForName.remove(link)
        guard let peer = central.core.peer(of: link) else { return }
        let services = facts.withLock { $0.links.removeValue(forKey: peer) }
        switch error {
        case .adapter, .closed:
            // With it all others go, and then the state changes, which is all that managers hear.
            restoration.isFrozen = true
            perform(central.core.powerLost())
        default:
            tellConnectionEvent(.peerDisconnected, of: peer, with: services ?? [])
            perform(central.core.linkClosed(link, error))
        }
    }

    func perform(_ actions: [CentralCore.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: CentralCore.Action) {
        switch action {
        case .dial(let peer): dial(peer)
        case .cancelDial(let peer):
            guard let dial = central.dials.removeValue(forKey: peer) else { return }
            onHost { $0.cancelDial(dial.request) }
        case .disconnect(let link): end(link)
        case .connected(let session, let peer, let wish):
            learnName(of: peer)
            guard !holdsBack(peer, from: session) else { return }
            post(.connected(peer, wish), to: session)
        case .failed(let session, let peer, let wish, let error):
            post(.failedToConnect(peer, wish, CBError(error)), to: session)
        case .disconnected(let session, let peer, let wish, let ending):
            clientLeft(session, peer)
            guard !redials(peer, for: session, wish) else { return }
            post(.disconnected(peer, Parting(wish, ending)), to: session)
        }
    }

    private func end(_ link: LinkIdentifier) {
        _ = onHost { $0.begin(.disconnect, on: link) { _ in } }
    }

    private func dial(_ peer: PeerIdentifier) {
        guard let address = onHost({ $0.address(of: peer) }) else {
            return perform(central.core.dialFailed(peer, .failedToConnect(.pageTimeout)))
        }
        central.lastDial += 1
        let number = central.lastDial
        let request = onHost { host in
            host.beginDial(to: address, options: .attentively) { [weak self] result in
                self?.assumeIsolated { $0.dialEnded(number, to: peer, result) }
            }
        }
        central.dials[peer] = CentralPart.Dial(number: number, request: request)
    }

    private func dialEnded(
        _ number: Int,
        to peer: PeerIdentifier,
        _ result: Result<HostAnswer, any Error>
    ) {
        // One that was given up ends after another has taken its place.
        guard central.dials[peer]?.number == number else { return }
        central.dials[peer] = nil
        // A link was told of before.
        guard case .failure(let error) = result, let error = error as? HostError else { return }
        // The adapter has come to its end, which managers hear as its state.
        guard error != .closed else { return }
        perform(central.core.dialFailed(peer, error))
    }
}

extension Parting {
    fileprivate init(_ wish: WishNumber, _ ending: CentralCore.Ending) {
        self.wish = wish
        timestamp = Date().timeIntervalSinceReferenceDate
        switch ending {
        case .asked:
            error = nil
            isReconnecting = false
        case .lost(let reason, let isReconnecting):
            error = CBError(reason)
            self.isReconnecting = isReconnecting
        }
    }
}

extension ConnectOptions {
    /// Waits for the peer for as long as it takes, and misses nothing meanwhile.
    ///
    /// The controller listens all the time that its links and scans leave, as it does for Linux' own
    /// stack. Listening half of the time would miss every second packet, and so would make everybody who
    /// comes back wait for an advertising interval more.
    fileprivate static var attentively: ConnectOptions {
        var options = whenAvailable
        options.parameters.scanWindow = options.parameters.scanInterval
        return options
    }
}
