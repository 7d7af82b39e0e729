// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// Bonded peers are keyed by their identity addresses, regardless of the address that they use on
// the air.
extension HostCore {
    /// Returns the identity address of the bonded peer that uses this address, or the address
    /// itself if no bonded peer does.
    package mutating func identity(of address: DeviceAddress) -> DeviceAddress {
        resolver.resolve(address) ?? address
    }

    /// Resolves the addresses of peers again, except of those that have proved their identity. Must
    /// be called after every change of the bonds.
    package mutating func bondsChanged(now: Instant) {
        updateResolver()
        for index in links.cores.indices where !links.cores[index].protection.isIdentityVerified {
            guard let identity = resolver.resolve(links.cores[index].peer) else { continue }
            links.cores[index].identity = identity
        }
        recentAddresses.keep(where: resolver.knows)
        updateRecognition(now: now)
    }

    /// Passes the bonded peers to the resolver.
    ///
    /// A device can have a public address and a static random one (Vol 6, Part B, 1.3), advertise
    /// with one, and distribute the other as its identity address. The identifier of its bond
    /// contains the address that it had at the pairing.
    mutating func updateResolver() {
        let identities = Set(bonds.map(\.peer))
        var addresses: [PeerIdentifier: DeviceAddress?] = [:]
        for bond in bonds where bond.resolvingKey != nil {
            addresses[bond.identifier] =
                pairedAddresses[bond.identifier]
                ?? context.peerCipher.address(of: bond.identifier).flatMap { $0.isFixed ? $0 : nil }
        }
        pairedAddresses = addresses
        resolver.setPeers(
            bonds.compactMap { bond in
                let paired = addresses[bond.identifier] ?? nil
                return bond.resolvingKey.map { key in
                    AddressResolver.Peer(
                        identity: bond.peer,
                        key: key,
                        otherAddress: paired.flatMap { identities.contains($0) ? nil : $0 }
                    )
                }
            }
        )
    }

    /// Returns the identity of the peer, as the controller or the host has resolved it.
    mutating func identity(in report: ConnectionReport) -> DeviceAddress {
        report.resolvedIdentity ?? identity(of: report.peer)
    }

    /// Returns the address that the controller uses on a new link. Must be called before the
    /// scheduler processes the report.
    func localAddress(in report: ConnectionReport) -> DeviceAddress {
        if let address = report.localPrivateAddress { return address }
        guard report.role == .peripheral else {
            let isPublic = scheduler.initiatesWithPublicAddress
            return isPublic ? capabilities?.publicAddress ?? shownAddress : shownAddress
        }
        return advertiser.address(connectedBy: report.advertisingHandle) ?? shownAddress
    }

    /// Returns the address by which the scheduler knows the peer of a report. It can differ from
    /// the reported address: a controller that has begun to resolve the peer's addresses since the
    /// request reports the identity address.
    mutating func requestedAddress(in report: ConnectionReport) -> DeviceAddress {
        if scheduler.wants(report.peer) { return report.peer }
        let identity = identity(in: report)
        if scheduler.wants(identity) { return identity }
        // The peer has a different private address from the one that the scheduler has.
        let pending = connectionRequests.values.first {
            $0.identity == identity && ($0.phase == .connecting || $0.phase == .rescheduling)
        }
        return pending?.address ?? report.resolvedIdentity ?? report.peer
    }

    /// Records the local address of a link, whose advertising set the controller reports after the
    /// link (Vol 4, Part E, 7.7.65.18).
    mutating func noteAddress(of event: HCI.LEAdvertisingSetTerminated) {
        guard event.status == .success,
            let index = links.index(of: event.connectionHandle),
            links.cores[index].role == .peripheral, !links.cores[index].isLocalAddressReported,
            let address = advertiser.address(connectedBy: event.advertisingHandle)
        else { return }
        links.cores[index].localAddress = address
    }
}

extension DeviceAddress {
    /// Whether the address is public or static random.
    fileprivate var isFixed: Bool { kind == .public || randomKind == .static }
}
