// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations
import HCITransports

/// What an adapter keeps of central managers.
struct CentralPart: Sendable {
    /// How many addresses are kept with what their devices are known by.
    static let addressLimit = 4_096

    /// A dial that the host has.
    struct Dial: Sendable {
        let number: Int
        let request: RequestIdentifier
    }

    /// A manager's scan that the host has.
    struct Scan: Sendable {
        let number: Int
        let session: SessionIdentifier
    }

    var sessions: [SessionIdentifier: CentralSession] = [:]
    var core = CentralCore()
    var dials: [PeerIdentifier: Dial] = [:]
    var lastDial = 0
    /// The wishes whose time has not come.
    var delays = ConnectDelays()
    var delayTimer: (any HostTimer)?
    /// The scans that the host has; others wait.
    var scans: [RequestIdentifier: Scan] = [:]
    var lastScan = 0
    /// What devices are known by that were heard lately: working that out takes longer than all the
    /// rest of a sighting.
    var identifiers = Recollection<DeviceAddress, PeerIdentifier>(generationLimit: addressLimit)
    /// The links whose peers were asked how they are called.
    var askedForName: Set<LinkIdentifier> = []
}

// Managers that come and go.
extension SharedAdapter {
    func open(_ session: CentralSession) {
        central.sessions[session.identifier] = session
        restore(session)
        if state != .unknown { tellState(to: session.identifier) }
        if state == .poweredOn { resumeRestored() }
    }

    func close(central session: SessionIdentifier) {
        restoration.leave(session)
        endScan(of: session)
        for wish in central.core.wishes(of: session) { clientLeft(session, wish.peer) }
        perform(central.core.close(session))
        central.delays.remove(session)
        forgetTables(of: session)
        central.sessions[session] = nil
    }

    func post(_ event: CentralEvent, to session: SessionIdentifier) {
        guard let entry = central.sessions[session] else { return }
        remember(event, of: session)
        post(event, to: entry)
    }

    /// Tells a manager the state.
    func tellState(to session: SessionIdentifier) {
        central.sessions[session]?.statesTold += 1
        post(CentralEvent.stateChanged(state), to: session)
    }

    /// Whether a command of a manager is one for the Bluetooth that there is now.
    ///
    /// - Parameter statesHeard: how many states it had heard of when the command was given.
    func accepts(commandOf session: SessionIdentifier, after statesHeard: Int) -> Bool {
        let told = central.sessions[session]?.statesTold ?? server.sessions[session]?.statesTold
        return state == .poweredOn && told == statesHeard
    }

    func centralLostPower() {
        for scan in central.scans.keys { onHost { $0.endScan(scan) } }
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
