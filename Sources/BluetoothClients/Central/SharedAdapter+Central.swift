// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The adapter's state for central managers.
struct CentralPart: Sendable {
    /// The number of addresses whose peer identifiers are never dropped: those used most recently.
    static let addressLimit = 4_096

    /// A connection request that was given to the host.
    struct ConnectionRequest: Sendable {
        let number: Int
        let request: RequestIdentifier
    }

    /// A scan that was given to the host.
    struct Scan: Sendable {
        let number: Int
        let session: SessionIdentifier
    }

    var sessions: [SessionIdentifier: CentralSession] = [:]
    var core = CentralCore()
    var connectionRequests: [PeerIdentifier: ConnectionRequest] = [:]
    var lastRequestNumber = 0
    /// The connection requests whose start delay has not ended.
    var delays = ConnectDelays()
    var delayTimer: (any HostTimer)?
    /// The scans that were given to the host. A manager's scan beyond the host's limit is not among
    /// them.
    var scans: [RequestIdentifier: Scan] = [:]
    var lastScan = 0
    /// The peer identifiers of addresses that advertised recently, because computing an identifier
    /// is slow.
    var identifiers = RecencyCache<DeviceAddress, PeerIdentifier>(generationLimit: addressLimit)
    /// The links on which the peer's Device Name was requested.
    var askedForName: Set<LinkIdentifier> = []
}

// Opening and closing managers.
extension SharedAdapter {
    package func open(_ session: CentralSession) {
        central.sessions[session.identifier] = session
        restore(session)
        if state != .unknown { sendState(to: session.identifier) }
        if state == .poweredOn { resumeRestored() }
    }

    package func close(central session: SessionIdentifier) {
        restoration.remove(session)
        endScan(of: session)
        for request in central.core.requests(of: session) { clientLeft(session, request.peer) }
        perform(central.core.close(session))
        central.delays.remove(session)
        client.tables[session] = nil
        central.sessions[session] = nil
    }

    package func post(_ event: CentralEvent, to session: SessionIdentifier) {
        guard let entry = central.sessions[session] else { return }
        remember(event, of: session)
        post(event, to: entry)
    }

    /// Sends a manager the state.
    func sendState(to session: SessionIdentifier) {
        central.sessions[session]?.statesSent += 1
        post(CentralEvent.stateChanged(state), to: session)
    }

    /// Returns whether a command of a manager was given for the current state.
    ///
    /// - Parameter statesReceived: The number of states that the manager had received when it gave
    ///   the command.
    package func accepts(commandOf session: SessionIdentifier, after statesReceived: Int) -> Bool {
        let sent = central.sessions[session]?.statesSent ?? server.sessions[session]?.statesSent
        return state == .poweredOn && sent == statesReceived
    }

    func centralLostPower() {
        for scan in central.scans.keys { port.endScan(scan) }
        central.scans = [:]
        for session in central.sessions.keys { central.sessions[session]?.scan = nil }
        perform(central.core.powerLost())
        central.delays = ConnectDelays()
        central.askedForName = []
        facts.withLock { facts in
            facts.links = [:]
            facts.mtus = [:]
        }
    }
}
