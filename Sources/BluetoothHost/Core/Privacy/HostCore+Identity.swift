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
        resolver.setPeers(bonds.compactMap(\.privatePeer))
        for index in links.cores.indices where !links.cores[index].protection.isIdentityVerified {
            guard let identity = resolver.resolve(links.cores[index].peer) else { continue }
            links.cores[index].identity = identity
        }
        recentAddresses.keep(where: resolver.knows)
        updateRecognition(now: now)
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

extension Bond {
    /// The peer's identity and resolving key, or `nil` if the peer has no resolving key.
    var privatePeer: AddressResolver.Peer? {
        resolvingKey.map { AddressResolver.Peer(identity: peer, key: $0) }
    }
}
