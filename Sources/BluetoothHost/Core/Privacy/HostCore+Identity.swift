// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// Who is who: bonded peers are known by their identity addresses, whatever they use on the air; and
// what we have used there ourselves.
extension HostCore {
    /// The identity address of the bonded peer that uses this address; the address itself if it is
    /// nobody's who is bonded.
    package mutating func identity(of address: DeviceAddress) -> DeviceAddress {
        resolver.resolve(address) ?? address
    }

    /// The list of bonds is not what it was: who is on the links is asked again, but of those who
    /// have proved themselves as they are known.
    ///
    /// To be called after every change of `bonds`.
    package mutating func bondsChanged(now: Instant) {
        resolver.setPeers(bonds.compactMap(\.privatePeer))
        for handle in links.handles {
            guard let link = links[handle], !link.protection.isProved else { continue }
            links[handle]?.identity = resolver.resolve(link.peer) ?? link.identity
        }
        sightedAddresses.keep(where: resolver.knows)
        updateRecognition(now: now)
    }

    /// Who is at the other end: as the controller says, or as the bonds' keys do.
    mutating func identity(in report: ConnectionReport) -> DeviceAddress {
        report.resolvedIdentity ?? identity(of: report.peer)
    }

    /// The address that our controller has used for a new link.
    func localAddress(in report: ConnectionReport) -> DeviceAddress {
        if let address = report.localPrivateAddress { return address }
        guard report.role == .peripheral else { return shownAddress }
        return advertiser.address(connectedBy: report.advertisingHandle) ?? shownAddress
    }

    /// The address by which the peer of a report was dialled: a private one that the controller has
    /// recognised since goes by the identity address in its report.
    mutating func dialledAddress(in report: ConnectionReport) -> DeviceAddress {
        if scheduler.wants(report.peer) { return report.peer }
        let identity = identity(in: report)
        if scheduler.wants(identity) { return identity }
        // It has another private address than the one by which it was dialled.
        let dial = dials.values.first {
            $0.identity == identity && ($0.phase == .dialling || $0.phase == .turning)
        }
        return dial?.address ?? report.resolvedIdentity ?? report.peer
    }

    /// The controller names the set that led to a link, after the link (Vol 4, Part E, 7.7.65.18).
    mutating func noteAddress(of event: HCI.LEAdvertisingSetTerminated) {
        guard event.status == .success, links[event.connectionHandle]?.role == .peripheral,
            links[event.connectionHandle]?.isLocalAddressReported == false,
            let address = advertiser.address(connectedBy: event.advertisingHandle)
        else { return }
        links[event.connectionHandle]?.localAddress = address
    }
}

extension Bond {
    /// The peer as one that may be recognised by private addresses; nil if it has none.
    var privatePeer: AddressResolver.Peer? {
        resolvingKey.map { AddressResolver.Peer(identity: peer, key: $0) }
    }
}
