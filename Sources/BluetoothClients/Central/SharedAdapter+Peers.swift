// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// Names, bonds and services of peers.
extension SharedAdapter {
    /// Updates the snapshot of the bonds.
    func updateBonds() {
        // A device that has a bond now is known by the identifier of the bond, and no longer by
        // that of its address.
        central.identifiers = RecencyCache(generationLimit: CentralPart.addressLimit)
        let bonds = port.bondedPeers
        facts.withLock { facts in
            facts.bonds = Dictionary(
                bonds.map { ($0.peer, $0.identity) },
                uniquingKeysWith: { first, _ in first }
            )
            for bond in bonds {
                if let name = bond.name { facts.cache.note(name: name, of: bond.peer) }
            }
        }
    }

    /// Deletes all bonds, and ends the links with bonded peers.
    package func removeBonds() {
        for bond in port.bondedPeers { port.removeBond(with: bond.peer) }
        updateBonds()
    }

    /// Reads the Device Name of a peer, once on each link. It replaces the advertised name. The
    /// host does not pair to read it.
    func learnName(of peer: PeerIdentifier) {
        guard let link = central.core.link(to: peer),
            central.askedForName.insert(link).inserted
        else { return }
        port.begin(.gatt(.readDeviceName, securesOnDemand: false), on: link) { [weak self] result in
            guard case .success(.gatt(.value(let value))) = result,
                let name = String(utf8: value), !name.isEmpty
            else { return }
            self?.assumeIsolated { $0.learned(name, of: peer) }
        }
    }

    /// Stores a peer's Device Name. If it is new, all central managers get an event.
    func learned(_ name: String, of peer: PeerIdentifier) {
        store(name: name, of: peer)
        guard facts.withLock({ $0.cache.note(name: name, of: peer) }) else { return }
        for session in central.sessions.values {
            post(.peripheral(peer, .nameChanged(name)), to: session)
        }
    }

    /// Returns the services of a peer that are known when its link opens: those that were
    /// advertised, and those in the stored database of a bonded peer. The services that are
    /// discovered on the link later replace them.
    func servicesKnown(of peer: PeerIdentifier, on link: LinkIdentifier) -> Set<BluetoothUUID> {
        let table = port.knownDatabase(of: link)
        return facts.withLock { $0.cache.services(of: peer) }
            .union(table?.services.map(\.service.uuid) ?? [])
    }
}

// Connection events, for which managers register.
extension SharedAdapter {
    package func setConnectionEvents(
        _ request: ConnectionEventRequest?,
        for session: SessionIdentifier
    ) {
        central.sessions[session]?.connectionEvents = request
    }

    func sendConnectionEvent(
        _ isConnected: Bool,
        of peer: PeerIdentifier,
        with services: Set<BluetoothUUID>
    ) {
        for session in central.sessions.values
        where session.connectionEvents?.includes(peer, with: services) == true {
            post(.connectionEvent(isConnected: isConnected, peer), to: session)
        }
    }
}
