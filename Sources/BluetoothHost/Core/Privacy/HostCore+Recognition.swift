// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// Who is heard: bonded peers are told by their identity addresses, and whoever looks for one is told.
extension HostCore {
    /// Somebody was heard.
    mutating func sighted(_ sighting: Advertisement?, now: Instant) {
        guard let sighting else { return }
        let recognised = recognise(sighting, now: now)
        for index in scans.indices where scans[index].sieve.admits(recognised) {
            emit(.advertised(scan: scans[index].identifier, recognised))
        }
    }

    /// The sighting with the identity of a bonded peer in it, where the controller has put none.
    private mutating func recognise(_ sighting: Advertisement, now: Instant) -> Advertisement {
        guard resolver.knowsAnybody else { return sighting }
        guard !sighting.isIdentityResolved else {
            recognisedByController(sighting.address, now: now)
            return sighting
        }
        guard let identity = resolver.resolve(sighting.address) else {
            // Some show their identity although they could be private.
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

    /// The controller does recognise it: what it was heard with before is not for dialling any more.
    private mutating func recognisedByController(_ identity: DeviceAddress, now: Instant) {
        guard sightedAddresses.lastHeard(identity) != nil else { return }
        sightedAddresses.forget(identity)
        for id in dials.keys where dials[id]?.identity == identity { reviewDial(id, now: now) }
    }

    /// A bonded peer was heard with this address: whoever dials it by another, or looks for it, dials
    /// it by this one.
    private mutating func heard(
        _ address: DeviceAddress,
        _ sighting: Advertisement,
        of identity: DeviceAddress,
        now: Instant
    ) {
        guard sighting.isConnectable else { return }
        sightedAddresses.note(address, of: identity, now: now)
        for id in dials.keys where dials[id]?.identity == identity { reviewDial(id, now: now) }
    }
}
