// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// Discoveries: bonded peers are reported with their identity addresses, and connection requests
// that search for one of them continue.
extension HostCore {
    /// Handles an advertising report.
    mutating func sighted(_ sighting: Advertisement?, now: Instant) {
        guard let sighting else { return }
        let recognised = recognise(sighting, now: now)
        for index in scans.indices where scans[index].sieve.admits(recognised) {
            emit(.event(.advertised(scan: scans[index].identifier, recognised)))
        }
    }

    /// Returns the discovery with the identity of a bonded peer, if the controller has not resolved
    /// it.
    private mutating func recognise(_ sighting: Advertisement, now: Instant) -> Advertisement {
        guard resolver.knowsAnybody else { return sighting }
        guard !sighting.isIdentityResolved else {
            recognisedByController(sighting.address, now: now)
            return sighting
        }
        guard let identity = resolver.resolve(sighting.address) else {
            // Some peers use their identity address although they have a resolving key.
            if resolver.knows(sighting.address) {
                heard(sighting.address, sighting, of: sighting.address, now: now)
            }
            return sighting
        }
        heard(sighting.address, sighting, of: identity, now: now)
        if addresses.resolves(identity) {
            emit(.log("the controller does not recognise whom it was told to recognise"))
            perform(addresses.missed(now: now), now: now)
        }
        var recognised = sighting
        recognised.privateAddress = sighting.address
        recognised.address = identity
        recognised.isIdentityResolved = true
        return recognised
    }

    /// Discards the peer's earlier private address, because the controller resolves the peer.
    private mutating func recognisedByController(_ identity: DeviceAddress, now: Instant) {
        guard recentAddresses.lastHeard(identity) != nil else { return }
        recentAddresses.forget(identity)
        for id in dials.keys where dials[id]?.identity == identity { reviewDial(id, now: now) }
    }

    /// Handles a report of a bonded peer with this address. A connection request that uses another
    /// address, or searches for the peer, uses this address.
    private mutating func heard(
        _ address: DeviceAddress,
        _ sighting: Advertisement,
        of identity: DeviceAddress,
        now: Instant
    ) {
        guard sighting.isConnectable else { return }
        recentAddresses.note(address, of: identity, now: now)
        for id in dials.keys where dials[id]?.identity == identity { reviewDial(id, now: now) }
    }
}
