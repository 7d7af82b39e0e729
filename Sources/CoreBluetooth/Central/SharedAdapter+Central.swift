// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation

/// What an adapter keeps of central managers.
struct CentralPart: Sendable {
    var sessions: [SessionIdentifier: CentralSession] = [:]
    var core = CentralCore()
    var dials: [PeerIdentifier: RequestIdentifier] = [:]
    /// Who scans.
    var scans: [RequestIdentifier: SessionIdentifier] = [:]
}

// Managers that come and go.
extension SharedAdapter {
    func open(_ session: CentralSession) {
        central.sessions[session.identifier] = session
        if state != .unknown { post(.stateChanged(state), to: session) }
    }

    func close(central session: SessionIdentifier) {
        stopScan(of: session)
        for wish in central.core.wishes(of: session) { clientLeft(session, wish.peer) }
        perform(central.core.close(session))
        forgetTables(of: session)
        central.sessions[session] = nil
    }

    func post(_ event: CentralEvent, to session: SessionIdentifier) {
        guard let session = central.sessions[session] else { return }
        post(event, to: session)
    }

    func centralLostPower() {
        for scan in central.scans.keys { onHost { $0.endScan(scan) } }
        central.scans = [:]
        perform(central.core.powerLost())
    }

    func centralGainedPower() {}
}

// Links.
extension SharedAdapter {
    func connect(_ peer: PeerIdentifier, for session: SessionIdentifier, reconnects: Bool) {
        perform(central.core.connect(session, peer, reconnects: reconnects))
    }

    func cancel(_ peer: PeerIdentifier, for session: SessionIdentifier) {
        perform(central.core.cancel(session, peer))
    }

    /// A manager holds its `CBPeripheral` no more.
    func release(_ peer: PeerIdentifier, for session: SessionIdentifier) {
        clientLeft(session, peer)
        perform(central.core.release(session, peer))
    }

    func centralLinkOpened(_ link: LinkIdentifier, to address: DeviceAddress, _ role: LinkRole) {
        let peer = onHost { $0.identifier(of: address) }
        facts.withLock { $0.links[peer] = [] }
        perform(central.core.linkOpened(link, to: peer, isIncoming: role == .peripheral))
    }

    func centralLinkClosed(_ link: LinkIdentifier, _ error: HostError) {
        if let peer = central.core.peer(of: link) { facts.withLock { $0.links[peer] = nil } }
        perform(central.core.linkClosed(link, error))
    }

    func perform(_ actions: [CentralCore.Action]) {
        for action in actions { perform(action) }
    }

    private func perform(_ action: CentralCore.Action) {
        switch action {
        case .dial(let peer): dial(peer)
        case .cancelDial(let peer):
            guard let dial = central.dials.removeValue(forKey: peer) else { return }
            onHost { $0.cancelDial(dial) }
        case .disconnect(let link):
            _ = onHost { $0.begin(.disconnect, on: link) { _ in } }
        case .connected(let session, let peer): post(.connected(peer), to: session)
        case .failed(let session, let peer, let error):
            post(.failedToConnect(peer, CBError(error)), to: session)
        case .disconnected(let session, let peer, let error, let isReconnecting):
            clientLeft(session, peer)
            let disconnection = Parting(
                timestamp: Date().timeIntervalSinceReferenceDate,
                isReconnecting: isReconnecting,
                error: error.map { CBError($0) }
            )
            post(.disconnected(peer, disconnection), to: session)
        }
    }

    private func dial(_ peer: PeerIdentifier) {
        guard let address = onHost({ $0.address(of: peer) }) else {
            return perform(central.core.dialFailed(peer, .failedToConnect(.pageTimeout)))
        }
        central.dials[peer] = onHost { host in
            host.beginDial(to: address, options: .whenAvailable) { [weak self] result in
                self?.assumeIsolated { $0.dialEnded(peer, result) }
            }
        }
    }

    private func dialEnded(_ peer: PeerIdentifier, _ result: Result<HostAnswer, any Error>) {
        central.dials[peer] = nil
        // A link was told of before.
        guard case .failure(let error) = result else { return }
        perform(central.core.dialFailed(peer, error as? HostError ?? .closed))
    }
}

// Scans.
extension SharedAdapter {
    func startScan(_ request: ScanRequest, for session: SessionIdentifier) {
        stopScan(of: session)
        let scan = onHost { host in
            host.beginScan(request) { _ in }
        }
        central.scans[scan] = session
    }

    func stopScan(of session: SessionIdentifier) {
        for (scan, owner) in central.scans where owner == session {
            central.scans[scan] = nil
            onHost { $0.endScan(scan) }
        }
    }

    func sighted(_ advertisement: Advertisement, by scan: RequestIdentifier) {
        guard let owner = central.scans[scan], let session = central.sessions[owner] else { return }
        let peer = onHost { $0.identifier(of: advertisement.address) }
        let name = facts.withLock { $0.names[peer] } ?? advertisement.data.localName
        post(.discovered(peer, name: name, advertisement), to: session, isDispensable: true)
    }
}

// Peers.
extension SharedAdapter {
    func updateBonds() {
        let bonds = onHost { $0.bonds }
        facts.withLock { facts in
            facts.bonds = Dictionary(
                bonds.map { ($0.identifier, $0.identity) },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }
}
