// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// What a pairing has come to: a link that is protected, and a bond, if both sides keep the keys.
extension HostCore {
    /// How many octets of a name are kept: as many as a Device Name can have (Vol 3, Part C, 12.1).
    private static let nameLimit = 248

    mutating func paired(_ keys: Pairing.Keys, on handle: ConnectionHandle, now: Instant) {
        guard let link = links[handle] else { return }
        links[handle]?.protection.isOwnPairing = false
        attempts.succeeded(link.identity)
        if let other = overwrittenBond(by: keys, on: link) {
            return bondLost(other, then: .keep(keys), on: handle, now: now)
        }
        keep(keys, on: handle, now: now)
    }

    /// The bond of a peer that the link does not seem to lead to, and that these keys would replace.
    /// By a told address alone, anybody could make away with anybody's bond (CVE-2021-3436); and leave
    /// to replace the bond that the link seems to lead to is none to replace this one.
    private func overwrittenBond(by keys: Pairing.Keys, on link: LinkState) -> Bond? {
        let peer = keys.peerIdentity ?? link.identity
        guard keys.isBonded, !keys.usedDebugKey, link.bond?.peer != peer else { return nil }
        return bonds.first { $0.peer == peer }
    }

    /// Keeps the keys, if they are to be kept. The link is as good as they are either way.
    mutating func keep(_ keys: Pairing.Keys, on handle: ConnectionHandle, now: Instant) {
        var security = LinkSecurity(keys)
        links[handle]?.bond = nil
        links[handle]?.protection.agreedAnew = nil
        if keys.isBonded, !keys.usedDebugKey {
            if let bond = makeBond(keys, on: handle, now: now) {
                security = bond.security(isEncrypted: true)
                links[handle]?.bond = bond
                emit(.security(.bonded(BondedPeer(bond))))
            } else {
                failWaiters(of: handle, with: HostError.tooManyBonds, now: now)
            }
        }
        let origin: LinkProtection.Key.Origin = security.isBonded ? .bond : .pairing
        links[handle]?.protection.inForce = .init(origin: origin, strength: security)
        unseal(handle, as: security, now: now)
        useSigningKey(on: handle)
        askForName(on: handle, now: now)
        secureOn(handle, now: now)
    }

    /// A bond of these keys, if there is room for it. The same peer stays the same to the application:
    /// the bond takes what the peer was known by as a stranger.
    private mutating func makeBond(
        _ keys: Pairing.Keys,
        on handle: ConnectionHandle,
        now: Instant
    ) -> Bond? {
        guard let link = links[handle] else { return nil }
        let peer = keys.peerIdentity ?? link.identity
        let earlier = bonds.first { $0.peer == peer }
        var bond = Bond(
            keys,
            identifier: earlier?.identifier ?? peerCipher.identifier(of: link.peer),
            connectedAddress: peer,
            localIdentity: localIdentity.address
        )
        bond.name = earlier?.name
        links[handle]?.identity = peer
        return keepBond(bond, now: now) ? bond : nil
    }
}

extension HostCore {
    /// Ends the links with a peer whose bond is about to be taken away.
    package mutating func disconnect(bonded peer: DeviceAddress, now: Instant) {
        for handle in links.handles where links[handle]?.bond?.peer == peer {
            disconnect(handle, request: nil, isUrgent: true, now: now)
        }
    }
}

// The peer's name, which a list of bonded peers is of little use without.
extension HostCore {
    private mutating func askForName(on handle: ConnectionHandle, now: Instant) {
        guard let link = links[handle], link.bond != nil, link.bond?.name == nil,
            !link.protection.hasAskedForName
        else { return }
        let operation = takeOwnOperation()
        links[handle]?.protection.hasAskedForName = true
        links[handle]?.protection.nameOperation = operation
        let name = GATT.Operation.readUsingUUID(Self.deviceName, first: .first, last: .last)
        start(name, id: operation, on: handle, now: now)
    }

    /// Device Name (Vol 3, Part C, 12.1).
    private static let deviceName = BluetoothUUID(0x2A00)

    mutating func nameArrived(
        _ result: Result<GATT.Outcome, GATT.Failure>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        links[handle]?.protection.nameOperation = nil
        guard case .success(.values(let values)) = result, let octets = values.first?.value,
            !octets.isEmpty, var bond = links[handle]?.bond
        else { return }
        bond.name = String(decoding: octets.prefix(Self.nameLimit), as: UTF8.self)
        guard keepBond(bond, now: now) else { return }
        links[handle]?.bond = bond
    }
}
