// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation

// Scans. Each manager that scans has a scan of the host, and the host combines them. Scans beyond
// the host's limit wait until another scan ends.
extension SharedAdapter {
    /// Starts a manager's scan, which replaces an earlier one.
    package func startScan(_ request: RequestedScan, for session: SessionIdentifier) {
        endScan(of: session)
        guard central.sessions[session] != nil else { return }
        central.sessions[session]?.scan = request
        intentsChanged(of: session)
        beginWaitingScans()
    }

    /// Starts waiting scans at the host, those of the oldest managers first.
    private func beginWaitingScans() {
        let scanning = Set(central.scans.values.map(\.session))
        for session in central.sessions.values.sorted(by: { $0.identifier < $1.identifier }) {
            guard central.scans.count < port.scanLimit else { return }
            guard !scanning.contains(session.identifier),
                let request = session.scan?
                    .request(
                        followingBackgroundRules: session.followsBackgroundRules
                            || switches.current.followsBackgroundRules
                    )
            else { continue }
            begin(request, for: session.identifier)
        }
    }

    private func begin(_ request: PortScan, for session: SessionIdentifier) {
        central.lastScan += 1
        let number = central.lastScan
        let scan = port.startScan(request) { [weak self] error in
            self?.assumeIsolated { $0.scanFailed(number, error) }
        }
        central.scans[scan] = CentralPart.Scan(number: number, session: session)
    }

    /// Removes a scan that the host ended. The manager's scan starts again when any manager starts
    /// or ends a scan.
    private func scanFailed(_ number: Int, _ error: any Error) {
        guard let scan = central.scans.first(where: { $0.value.number == number })?.key else {
            return
        }
        central.scans[scan] = nil
        Misuse.warn("A scan ended: \(error)")
    }

    /// Stops a manager's scan.
    package func endScan(of session: SessionIdentifier) {
        central.sessions[session]?.scan = nil
        intentsChanged(of: session)
        for (scan, entry) in central.scans where entry.session == session {
            central.scans[scan] = nil
            port.endScan(scan)
        }
        beginWaitingScans()
    }

    /// Sets whether a manager follows the background rules, and restarts its scan.
    package func setBackgroundRules(_ areFollowed: Bool, for session: SessionIdentifier) {
        guard central.sessions[session]?.followsBackgroundRules == !areFollowed else { return }
        central.sessions[session]?.followsBackgroundRules = areFollowed
        if let scan = central.sessions[session]?.scan { startScan(scan, for: session) }
    }

    /// Restarts all scans, because the rules for all managers changed.
    func backgroundRulesChanged() {
        for session in central.sessions.values.sorted(by: { $0.identifier < $1.identifier }) {
            if let scan = session.scan { startScan(scan, for: session.identifier) }
        }
    }

    func receive(_ advertisement: Advertisement, by scan: RequestIdentifier) {
        let now = Date().timeIntervalSinceReferenceDate
        guard let owner = central.scans[scan]?.session,
            let session = central.sessions[owner],
            let match = session.scan?.match(advertisement, at: now)
        else { return }
        let peer = identifier(of: advertisement.address)
        let name = facts.withLock { facts in
            facts.cache.note(
                advertisedName: advertisement.data.localName,
                services: advertisement.data.serviceUUIDs,
                of: peer
            )
            return facts.cache.name(of: peer)
        }
        post(.discovered(peer, name: name, match), to: session)
    }

    /// Returns the peer identifier of an address.
    private func identifier(of address: DeviceAddress) -> PeerIdentifier {
        if let known = central.identifiers[address] { return known }
        let identifier = port.identifier(of: address)
        central.identifiers[address] = identifier
        return identifier
    }
}
