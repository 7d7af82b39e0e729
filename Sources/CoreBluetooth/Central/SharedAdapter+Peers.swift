// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations

// What is known of peers.
extension SharedAdapter {
    /// The bonds are others than before, or are to be looked at for the first time.
    func updateBonds() {
        // A device may be known by another identifier from now on: that of its bond.
        central.identifiers = Recollection(generationLimit: CentralPart.addressLimit)
        let bonds = onHost { $0.bonds }
        facts.withLock { facts in
            facts.bonds = Dictionary(
                bonds.map { ($0.identifier, $0.identity) },
                uniquingKeysWith: { first, _ in first }
            )
            for bond in bonds {
                if let name = bond.name { facts.book.note(name: name, of: bond.identifier) }
            }
        }
    }

    /// Forgets all keys, and ends the links with those that they are shared with.
    func removeBonds() {
        onHost { host in
            for bond in host.bonds { host.removeBond(bond.identifier) }
        }
        updateBonds()
    }

    /// Asks a peer how it is called, once on each link, in the background: what it says there wins
    /// over what it advertises. A peer that wants to pair for it keeps it to itself.
    func learnName(of peer: PeerIdentifier) {
        guard let link = central.core.link(to: peer),
            central.askedForName.insert(link).inserted
        else { return }
        let name = GATT.Operation.readUsingUUID(.deviceName, first: .first, last: .last)
        _ = onHost { host in
            host.begin(.gatt(name, securesOnDemand: false), on: link) { [weak self] result in
                guard case .success(.gatt(.values(let values))) = result,
                    let value = values.first?.value,
                    let name = String(validating: value, as: UTF8.self), !name.isEmpty
                else { return }
                self?.assumeIsolated { $0.learned(name, of: peer) }
            }
        }
    }

    /// A peer is called so: whoever has it is told if that is new.
    func learned(_ name: String, of peer: PeerIdentifier) {
        keep(name: name, of: peer)
        guard facts.withLock({ $0.book.note(name: name, of: peer) }) else { return }
        for session in central.sessions.values {
            post(.peripheral(peer, .nameChanged(name)), to: session)
        }
    }

    /// The services of a peer that are known as its link opens: those that it advertises, and those of
    /// the table that is kept for a bonded peer. Those that a discovery finds come later.
    func servicesKnown(of peer: PeerIdentifier, on link: LinkIdentifier) -> Set<BluetoothUUID> {
        let table = onHost { $0.knownDatabase(of: link) }
        return facts.withLock { $0.book.services(of: peer) }
            .union(table?.services.map(\.service.uuid) ?? [])
    }
}

// Connections that managers want to hear of, whoever makes them.
extension SharedAdapter {
    func setConnectionEvents(_ wish: ConnectionEventWish?, for session: SessionIdentifier) {
        central.sessions[session]?.connectionEvents = wish
    }

    func tellConnectionEvent(
        _ event: CBConnectionEvent,
        of peer: PeerIdentifier,
        with services: Set<BluetoothUUID>
    ) {
        for session in central.sessions.values
        where session.connectionEvents?.includes(peer, with: services) == true {
            post(.connectionEvent(event, peer), to: session)
        }
    }
}

extension BluetoothUUID {
    /// The characteristic in which a device says how it is called (Vol 3, Part C, 12.1).
    fileprivate static let deviceName = BluetoothUUID(0x2A00)
}
