// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// Encryption (Vol 6, Part B, 5.1.3): the Central begins it, the Peripheral's host is asked for the
// key, and both controllers tell what came of it. A link counts as encrypted when its controller says
// so, and as well as the key deserves that we gave it last; by nothing else.
extension HostCore {
    /// Encrypts a link with a bonded peer, as its Central.
    mutating func encryptByBond(_ handle: ConnectionHandle, now: Instant) {
        guard let bond = links[handle]?.bond, links[handle]?.procedures[.encryption] == nil else {
            return
        }
        // A bond that was made the other way round may have no key for this one.
        guard let key = bond.peerKey, key.isUsable(by: bond) else {
            return bondLost(bond, then: .pair, on: handle, now: now)
        }
        let strength = bond.security(isEncrypted: true)
        encrypt(handle, with: key, .init(origin: .bond, strength: strength), now: now)
    }

    /// Encrypts a link, or changes its key, as its Central.
    mutating func encrypt(
        _ handle: ConnectionHandle,
        with key: LongTermKey,
        _ offer: LinkProtection.Key,
        now: Instant
    ) {
        links[handle]?.protection.offered = offer
        guard capabilities?.supports(HCI.LEEnableEncryption.self) == true else {
            return encryptionFailed(.unsupported("encryption"), on: handle, now: now)
        }
        let command = HCI.LEEnableEncryption(
            connectionHandle: handle,
            random: key.random,
            encryptedDiversifier: key.diversifier,
            longTermKey: key.value
        )
        let encoded = HCI.EncodedCommand(command)
        reportUse(of: key, on: handle)
        upkeep(encoded, on: handle, beginning: .encryption, now: now)
    }

    /// The Central wants to encrypt: the controller gets the key, if it is named as the pairing's or
    /// the bond's is, and otherwise hears at once that there is none, rather than let the peer wait.
    mutating func longTermKeyAsked(_ event: HCI.LELongTermKeyRequest, now: Instant) {
        let handle = event.connectionHandle
        guard let (key, offer) = namedKey(event) else {
            let reply = HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle)
            return upkeep(HCI.EncodedCommand(reply), on: handle, now: now)
        }
        links[handle]?.protection.offered = offer
        reportUse(of: key, on: handle)
        let reply = HCI.LELongTermKeyRequestReply(
            connectionHandle: handle,
            longTermKey: key.value
        )
        upkeep(HCI.EncodedCommand(reply), on: handle, now: now)
    }

    /// The key that the Central names, of what is shared with it. Nobody is given a key by a name
    /// that is none (CVE-2019-19194).
    private func namedKey(
        _ event: HCI.LELongTermKeyRequest
    ) -> (LongTermKey, LinkProtection.Key)? {
        guard let link = links[event.connectionHandle], link.role == .peripheral else { return nil }
        let diversifier = event.encryptedDiversifier
        if let manager = link.protection.manager, let strength = manager.strength,
            let key = manager.key(diversifier: diversifier, random: event.random), !key.isZero
        {
            return (LongTermKey(key), .init(origin: .unfinishedPairing, strength: strength))
        }
        guard let bond = link.bond, let key = bond.localKey, key.isUsable(by: bond),
            key.diversifier == diversifier, key.random == event.random, !isRemoved(bond)
        else { return nil }
        return (key, .init(origin: .bond, strength: bond.security(isEncrypted: true)))
    }

    /// Encryption began, ended, or failed to begin (Vol 4, Part E, 7.7.8).
    ///
    /// - Parameter keySize: how long the controller says that the key is; nil if it does not say.
    mutating func encryptionChanged(
        on handle: ConnectionHandle,
        _ status: HCI.ErrorCode,
        _ encryption: HCI.EncryptionState,
        keySize: UInt8? = nil,
        now: Instant
    ) {
        guard links[handle] != nil else { return }
        links[handle]?.procedures[.encryption] = nil
        guard status == .success else {
            return encryptionFailed(.encryptionFailed(status), on: handle, now: now)
        }
        guard encryption != .off else { return encryptionEnded(on: handle, now: now) }
        // A controller that encrypts with a key that nobody gave it proves nothing of the peer.
        guard let key = links[handle]?.protection.offered else {
            return emit(.log("ignored encryption of a link that no key was given for"))
        }
        links[handle]?.protection.offered = nil
        if let keySize, Int(keySize) < key.strength.keySize {
            emit(.log("ended a link whose key is shorter than it was: \(keySize) octets"))
            return end(handle, as: .encryptionFailed(.insufficientSecurity), now: now)
        }
        encrypted(handle, with: key, now: now)
    }

    /// The same, of a controller that tells the length of the key (Vol 4, Part E, 7.7.8).
    mutating func encryptionChanged(_ event: HCI.EncryptionChangeV2, now: Instant) {
        encryptionChanged(
            on: event.connectionHandle,
            event.status,
            event.encryption,
            keySize: event.keySize,
            now: now
        )
    }

    /// An encrypted link has a new key, or failed to get one (Vol 4, Part E, 7.7.39).
    mutating func keyRefreshed(_ event: HCI.EncryptionKeyRefreshComplete, now: Instant) {
        encryptionChanged(on: event.connectionHandle, event.status, .on, now: now)
    }

    private mutating func encrypted(
        _ handle: ConnectionHandle,
        with key: LinkProtection.Key,
        now: Instant
    ) {
        if key.origin == .bond, let bond = links[handle]?.bond, isRemoved(bond) {
            return end(handle, as: .notBonded, now: now)
        }
        links[handle]?.protection.inForce = key
        switch key.origin {
        case .bond:
            unseal(handle, as: key.strength, now: now)
            // A wish of ours that the Central has granted by that.
            if links[handle]?.protection.isWishOpen == true {
                managerHears(ofEncryption: true, on: handle, now: now)
            }
        case .pairing, .unfinishedPairing:
            // Of a peer that has lost its bond nothing is believed before the pairing is done.
            if links[handle]?.isSealed == false {
                links[handle]?.security = key.strength
                serverHearsOfSecurity(of: handle)
            }
            managerHears(ofEncryption: true, on: handle, now: now)
        }
        secureOn(handle, now: now)
        pump(handle, now: now)
    }

    /// A link was to be encrypted, or to get another key, and was not. One that was protected, or has
    /// to be, is of no use any more.
    mutating func encryptionFailed(
        _ error: HostError,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle] else { return }
        emit(.log("a link could not be encrypted: \(error)"))
        links[handle]?.protection.offered = nil
        guard !link.security.isEncrypted else { return end(handle, as: error, now: now) }
        guard let offered = link.protection.offered else { return }
        if offered.origin == .unfinishedPairing {
            managerHears(ofEncryption: false, on: handle, now: now)
        } else if error == .encryptionFailed(.pinOrKeyMissing), let bond = link.bond {
            bondLost(bond, then: .pair, on: handle, now: now)
        } else {
            end(handle, as: error, now: now)
        }
    }

    /// Low Energy has no way back to clear text but the end of the link.
    private mutating func encryptionEnded(on handle: ConnectionHandle, now: Instant) {
        emit(.log("ended a link that is not encrypted any more"))
        distrust(handle)
        end(handle, as: .notEncrypted, now: now)
    }

    /// The link counts as encrypted no more.
    mutating func distrust(_ handle: ConnectionHandle) {
        let bond = links[handle]?.bond
        links[handle]?.protection.inForce = nil
        links[handle]?.protection.isProved = false
        links[handle]?.security = bond?.security(isEncrypted: false) ?? .none
        serverHearsOfSecurity(of: handle)
    }

    /// Ends a link that is not, or cannot be, protected as it has to be.
    mutating func end(_ handle: ConnectionHandle, as error: HostError, now: Instant) {
        links[handle]?.protection.farewell = nil
        guard let link = links[handle], !link.isDisconnecting || link.awaitsKeys else { return }
        links[handle]?.protection.end = error
        disconnect(handle, request: nil, isUrgent: true, now: now)
    }

    /// The same, as soon as the peer has had time to hear why.
    mutating func endSoon(_ handle: ConnectionHandle, as error: HostError, now: Instant) {
        guard let link = links[handle], !link.isDisconnecting, link.protection.farewell == nil
        else { return }
        links[handle]?.protection.farewell = (error, now + Self.refusalPause)
    }
}

extension LongTermKey {
    /// Whether it is a key, and its name one. Only those of LE Secure Connections have none.
    func isUsable(by bond: Bond) -> Bool {
        !value.isZero && (bond.usesSecureConnections || diversifier != 0 || random != 0)
    }
}

extension HCI.Key128 {
    var isZero: Bool { bytes.allSatisfy { $0 == 0 } }
}
