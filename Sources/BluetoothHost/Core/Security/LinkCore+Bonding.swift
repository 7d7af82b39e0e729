// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The result of a pairing: a protected link, and a bond if both sides store the keys.
extension LinkCore {
    mutating func paired(_ keys: Pairing.Keys, _ context: inout LinkContext) {
        protection.isOwnPairing = false
        context.attempts.succeeded(identity)
        if let other = overwrittenBond(by: keys, context) {
            return bondLost(other, then: .keep(keys), &context)
        }
        keep(keys, &context)
    }

    /// Returns the bond of another peer that these keys would replace, or `nil` if there is none. A
    /// device can claim any identity address in a pairing. If the claim were sufficient, the device
    /// could remove the bond of any peer (CVE-2021-3436). A permission to replace the bond of this
    /// link's peer does not apply to other bonds.
    private func overwrittenBond(by keys: Pairing.Keys, _ context: LinkContext) -> Bond? {
        let peer = keys.peerIdentity ?? identity
        guard keys.isBonded, !keys.usedDebugKey, bond?.peer != peer else { return nil }
        return context.bonds.first { $0.peer == peer }
    }

    /// Makes the keys a bond if both sides requested bonding and neither used the debug key. The
    /// link holds the bond as `unsavedBond`, and sends no further key, until the host has added or
    /// refused the bond.
    mutating func keep(_ keys: Pairing.Keys, _ context: inout LinkContext) {
        guard keys.isBonded, !keys.usedDebugKey else {
            return protect(as: LinkSecurity(keys), &context)
        }
        protection.unsavedBond = makeBond(keys, context)
        context.post(.paired(LinkSecurity(keys)), of: identifier)
    }

    /// Returns the bond of these keys. The identifier that applications see does not change.
    private func makeBond(_ keys: Pairing.Keys, _ context: LinkContext) -> Bond {
        let bondedPeer = keys.peerIdentity ?? identity
        let earlier = context.bonds.first { $0.peer == bondedPeer }
        var bond = Bond(
            keys,
            identifier: earlier?.identifier ?? context.peerCipher.identifier(of: peer),
            connectedAddress: bondedPeer,
            localIdentity: context.localIdentity.address
        )
        bond.name = earlier?.name
        return bond
    }

    /// Protects the link without a bond, because the host has no room for another bond.
    mutating func bondRefused(_ strength: LinkSecurity, _ context: inout LinkContext) {
        protection.unsavedBond = nil
        failWaiters(with: HostError.tooManyBonds, &context)
        protect(as: strength, &context)
        pump(&context)
    }

    /// Writes the bond of a pairing. If the identity is not in the store yet, it is written first.
    func saveBond(_ context: inout LinkContext) {
        guard let bond = protection.unsavedBond else { return }
        guard !context.storeState.isIdentityUnsaved else { return context.write(.identity) }
        let bytes = bond.encode(localIdentity: context.localIdentity.address)
        context.save(bytes, as: .bond(bond.peer))
    }

    /// Handles a failure to write the bond of a pairing, or the identity that the bond belongs to.
    /// Until the last keys are sent, the pairing is not over for the peer, and the host fails it
    /// (Vol 3, Part H, 3.5.5 and 3.6.1). After that, no PDU exists for a failure, and the link ends
    /// with Remote Device Terminated Connection due to Low Resources.
    mutating func bondNotSaved(_ fault: StoreFault, _ context: inout LinkContext) {
        let error = HostError.bondNotStored(fault.text)
        protection.unsavedBond = nil
        treatAsUnencrypted(&context)
        let canRefuse = protection.outgoing.contains(where: Self.carriesKey)
        protection.outgoing.removeAll(where: Self.carriesKey)
        failWaiters(with: error, &context)
        reportPairing(.failure(error), &context)
        guard canRefuse else { return disconnect(as: error, &context) }
        refusePairing(.keyRejected, &context)
        disconnectSoon(as: error, context)
    }

    /// Uses the bond of a pairing that the host has stored.
    mutating func adopt(_ kept: Bond, _ context: inout LinkContext) {
        bond = kept
        context.emit(.event(.security(.bonded(BondedPeer(kept)))))
        protect(as: kept.security(isEncrypted: true), &context)
        pump(&context)
    }

    /// Sets the security of the link to `strength`, that of the keys of its pairing.
    private mutating func protect(as strength: LinkSecurity, _ context: inout LinkContext) {
        // `awaitsEncryption` is `false` without the bond, so it is read before the bond is removed.
        let didWait = awaitsEncryption
        if !strength.isBonded { bond = nil }
        protection.replaceableBond = nil
        let origin: LinkProtection.Key.Origin = strength.isBonded ? .bond : .pairing
        protection.inForce = .init(origin: origin, strength: strength)
        identityVerified(as: strength, after: didWait, &context)
        reportPairing(.success(strength), &context)
        useSigningKey(&context)
        // Requests that waited for the pairing are repeated before the host reads the peer's name.
        continueSecuring(&context)
        askForName(&context)
    }

    /// Takes the bond that the host now has for this link's peer, or `nil` if the bond was removed.
    /// A link that awaits encryption keeps its bond until it ends, because without the bond it
    /// would not be protected.
    mutating func bondReplaced(by newer: Bond?, _ context: inout LinkContext) {
        if newer != nil || !awaitsEncryption {
            bond = newer
            security.isBonded = newer != nil
        }
        updateServerSecurity(&context)
        useSigningKey(&context)
        pump(&context)
    }
}

// The peer's name, for the list of bonded peers.
extension LinkCore {
    private mutating func askForName(_ context: inout LinkContext) {
        guard let bond, bond.name == nil, !protection.hasAskedForName else { return }
        let operation = context.takeOperation()
        protection.hasAskedForName = true
        protection.nameOperation = operation
        start(.readDeviceName, id: operation, &context)
    }

    mutating func nameReceived(
        _ result: Result<GATT.Outcome, GATT.Failure>,
        _ context: inout LinkContext
    ) {
        protection.nameOperation = nil
        guard case .success(.value(let bytes)) = result, var bond else { return }
        let name = Bond.storedName(String(decoding: bytes, as: UTF8.self))
        guard !name.isEmpty else { return }
        bond.name = name
        context.post(.bondChanged(bond), of: identifier)
    }
}
