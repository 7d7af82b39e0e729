// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import Foundation

// Scans: one of the host for each manager that scans; the host makes one of them all.
extension SharedAdapter {
    /// A manager scans for something, instead of what it scanned for before.
    func startScan(_ wish: ScanWish, for session: SessionIdentifier) {
        endScan(of: session)
        guard let rules = central.sessions[session]?.followsBackgroundRules else { return }
        central.sessions[session]?.scan = wish
        intentsChanged(of: session)
        guard let request = wish.request(followingBackgroundRules: rules) else { return }
        let scan = onHost { host in
            host.beginScan(request) { result in
                guard case .failure(let error) = result, error as? HostError != .closed else {
                    return
                }
                Misuse.warn("a scan has ended: \(error)")
            }
        }
        central.scans[scan] = session
    }

    /// A manager scans no more.
    func endScan(of session: SessionIdentifier) {
        central.sessions[session]?.scan = nil
        intentsChanged(of: session)
        for (scan, owner) in central.scans where owner == session {
            central.scans[scan] = nil
            onHost { $0.endScan(scan) }
        }
    }

    /// The application of a manager goes into the background, or comes back.
    func setBackgroundRules(_ areFollowed: Bool, for session: SessionIdentifier) {
        guard central.sessions[session]?.followsBackgroundRules == !areFollowed else { return }
        central.sessions[session]?.followsBackgroundRules = areFollowed
        if let scan = central.sessions[session]?.scan { startScan(scan, for: session) }
    }

    func sighted(_ advertisement: Advertisement, by scan: RequestIdentifier) {
        let now = Date().timeIntervalSinceReferenceDate
        guard let owner = central.scans[scan], let session = central.sessions[owner],
            let sighting = session.scan?.sighting(advertisement, at: now)
        else { return }
        let peer = identifier(of: advertisement.address)
        let name = facts.withLock { facts in
            facts.book.note(
                advertisedName: advertisement.data.localName,
                services: advertisement.data.serviceUUIDs,
                of: peer
            )
            return facts.book.name(of: peer)
        }
        post(.discovered(peer, name: name, sighting), to: session, isDispensable: true)
    }

    /// What the device with this address is known by.
    private func identifier(of address: DeviceAddress) -> PeerIdentifier {
        if let known = central.identifiers[address] { return known }
        let identifier = onHost { $0.identifier(of: address) }
        central.identifiers[address] = identifier
        return identifier
    }
}
