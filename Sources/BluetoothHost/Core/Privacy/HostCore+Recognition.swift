// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// Discoveries: bonded peers are reported with their identity addresses, and connection requests
// that search for one of them continue.
extension HostCore {
    mutating func advertisementReceived(_ entry: Advertisement?, now: Instant) {
        guard let entry else { return }
        let recognized = recognize(entry, now: now)
        for index in scans.indices where scans[index].advertisementFilter.admits(recognized) {
            emit(.event(.advertised(scan: scans[index].identifier, recognized)))
        }
    }

    /// Returns the discovery with the identity of a bonded peer, if the controller has not resolved
    /// it.
    private mutating func recognize(_ entry: Advertisement, now: Instant) -> Advertisement {
        guard !resolver.isEmpty else { return entry }
        guard !entry.isIdentityResolved else {
            if resolver.knowsOtherAddress(of: entry.address) {
                received(entry.address, entry, of: entry.address, now: now)
            } else {
                recognizedByController(entry.address, now: now)
            }
            return entry
        }
        guard let identity = resolver.resolve(entry.address) else {
            // Some peers use their identity address although they have a resolving key.
            if resolver.knows(entry.address) {
                received(entry.address, entry, of: entry.address, now: now)
            }
            return entry
        }
        received(entry.address, entry, of: identity, now: now)
        if addresses.resolves(identity), entry.address.randomKind == .resolvablePrivate {
            emit(.log("the controller did not resolve a peer of its resolving list"))
            perform(addresses.missed(now: now), now: now)
        }
        var recognized = entry
        recognized.privateAddress = entry.address
        recognized.address = identity
        recognized.isIdentityResolved = true
        return recognized
    }

    /// Discards the peer's earlier private address, because the controller resolves the peer.
    private mutating func recognizedByController(_ identity: DeviceAddress, now: Instant) {
        guard recentAddresses.lastReceived(identity) != nil else { return }
        recentAddresses.forget(identity)
        for id in connectionRequests.keys where connectionRequests[id]?.identity == identity {
            reviewConnectionRequest(id, now: now)
        }
    }

    /// Handles a report of a bonded peer with this address. A connection request that uses another
    /// address, or searches for the peer, uses this address.
    private mutating func received(
        _ address: DeviceAddress,
        _ entry: Advertisement,
        of identity: DeviceAddress,
        now: Instant
    ) {
        guard entry.isConnectable else { return }
        recentAddresses.note(address, of: identity, now: now)
        for id in connectionRequests.keys where connectionRequests[id]?.identity == identity {
            reviewConnectionRequest(id, now: now)
        }
    }
}
