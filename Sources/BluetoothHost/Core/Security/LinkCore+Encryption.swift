// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// Encryption (Vol 6, Part B, 5.1.3). The central begins it, the controller of the peripheral asks
// its host for the key, and both controllers report the result. A link counts as encrypted only
// when its controller reports it, with the strength of the last key that the host gave the
// controller.
extension LinkCore {
    /// Encrypts a link to a bonded peer, as its central.
    mutating func encryptByBond(_ context: inout LinkContext) {
        guard let bond, procedures[.encryption] == nil else { return }
        // A bond that was made with the roles exchanged may have no key for this role.
        guard let key = bond.peerKey, key.isUsable(by: bond) else {
            return bondLost(bond, then: .pair, &context)
        }
        let strength = bond.security(isEncrypted: true)
        encrypt(with: key, .init(origin: .bond, strength: strength), &context)
    }

    /// Encrypts a link, or changes its key, as its central.
    mutating func encrypt(
        with key: LongTermKey,
        _ offer: LinkProtection.Key,
        _ context: inout LinkContext
    ) {
        protection.offered = offer
        guard context.capabilities?.supports(HCI.LEEnableEncryption.self) == true else {
            return encryptionFailed(.unsupported("encryption"), &context)
        }
        let command = HCI.LEEnableEncryption(
            connectionHandle: handle,
            random: key.random,
            encryptedDiversifier: key.diversifier,
            longTermKey: key.value
        )
        reportUse(of: key, &context)
        let encoded = HCI.EncodedCommand(command)
        sendHostCommand(encoded, beginning: .encryption, &context)
    }

    /// Gives the controller the key that the central requests, from the pairing in progress or from
    /// the bond. If there is no such key, the host refuses at once, so that the peer does not wait.
    mutating func longTermKeyRequested(
        _ event: HCI.LELongTermKeyRequest,
        _ context: inout LinkContext
    ) {
        guard let (key, offer) = namedKey(event, context) else {
            let reply = HCI.LELongTermKeyRequestNegativeReply(connectionHandle: handle)
            return sendHostCommand(HCI.EncodedCommand(reply), &context)
        }
        protection.offered = offer
        reportUse(of: key, &context)
        let reply = HCI.LELongTermKeyRequestReply(connectionHandle: handle, longTermKey: key.value)
        sendHostCommand(HCI.EncodedCommand(reply), &context)
    }

    /// Returns the key that the central requests. Of the keys of bonds, only those of LE Secure
    /// Connections may have zero as the diversifier and the random number (CVE-2019-19194).
    private func namedKey(
        _ event: HCI.LELongTermKeyRequest,
        _ context: LinkContext
    ) -> (LongTermKey, LinkProtection.Key)? {
        guard role == .peripheral else { return nil }
        let diversifier = event.encryptedDiversifier
        if let manager = protection.manager, let strength = manager.strength,
            let key = manager.key(diversifier: diversifier, random: event.random), !key.isZero
        {
            return (LongTermKey(key), .init(origin: .unfinishedPairing, strength: strength))
        }
        guard let bond, let key = bond.localKey, key.isUsable(by: bond),
            key.diversifier == diversifier, key.random == event.random, !context.isRemoved(bond)
        else { return nil }
        return (key, .init(origin: .bond, strength: bond.security(isEncrypted: true)))
    }

    /// Handles the controller's report that encryption began, ended or failed to begin, or that the
    /// key was changed (Vol 4, Part E, 7.7.8 and 7.7.39).
    ///
    /// - Parameter keySize: The length of the key in bytes, or `nil` if the controller does not
    ///   report it.
    mutating func encryptionChanged(
        _ status: HCI.ErrorCode,
        _ encryption: HCI.EncryptionState,
        keySize: UInt8? = nil,
        _ context: inout LinkContext
    ) {
        procedures[.encryption] = nil
        guard status == .success else {
            return encryptionFailed(.encryptionFailed(status), &context)
        }
        guard encryption != .off else { return encryptionEnded(&context) }
        // Encryption with a key that the host did not provide proves nothing about the peer.
        guard let key = protection.offered else {
            return context.emit(.log("ignored encryption of a link without a key of this host"))
        }
        protection.offered = nil
        if let keySize, Int(keySize) < key.strength.keySize {
            context.emit(.log("ended a link whose key has only \(keySize) bytes"))
            return disconnect(as: .encryptionFailed(.insufficientSecurity), &context)
        }
        encrypted(with: key, &context)
    }

    private mutating func encrypted(with key: LinkProtection.Key, _ context: inout LinkContext) {
        if key.origin == .bond, let bond, context.isRemoved(bond) {
            return disconnect(as: .notBonded, &context)
        }
        protection.inForce = key
        switch key.origin {
        case .bond:
            identityVerified(as: key.strength, after: awaitsEncryption, &context)
            // By encrypting, the central has granted the host's Security Request.
            if protection.isSecurityRequestOpen {
                informManager(ofEncryption: true, &context)
            }
        case .pairing, .unfinishedPairing:
            // A peer that has lost its bond is not trusted before the pairing has succeeded.
            if !awaitsEncryption {
                security = key.strength
                updateServerSecurity(&context)
            }
            informManager(ofEncryption: true, &context)
        }
        continueSecuring(&context)
        pump(&context)
    }

    /// Handles a failure to encrypt a link, or to change its key. A link that was encrypted ends.
    /// Otherwise, the failure ends the pairing, shows that the peer has lost its bond, or ends the
    /// link.
    mutating func encryptionFailed(_ error: HostError, _ context: inout LinkContext) {
        context.emit(.log("a link could not be encrypted: \(error)"))
        let offered = protection.offered
        protection.offered = nil
        guard !security.isEncrypted else { return disconnect(as: error, &context) }
        guard let offered else { return }
        if offered.origin == .unfinishedPairing {
            informManager(ofEncryption: false, &context)
        } else if error == .encryptionFailed(.pinOrKeyMissing), let bond {
            bondLost(bond, then: .pair, &context)
        } else {
            disconnect(as: error, &context)
        }
    }

    /// Ends a link whose encryption has ended. In LE, only the end of the link may end its
    /// encryption.
    private mutating func encryptionEnded(_ context: inout LinkContext) {
        context.emit(.log("ended a link that is no longer encrypted"))
        treatAsUnencrypted(&context)
        disconnect(as: .notEncrypted, &context)
    }

    /// Stops treating the link as encrypted.
    mutating func treatAsUnencrypted(_ context: inout LinkContext) {
        protection.inForce = nil
        protection.isIdentityVerified = false
        security = bond?.security(isEncrypted: false) ?? .none
        updateServerSecurity(&context)
    }

    /// Reports the key to the key observer, if there is one. Called wherever a controller gets a
    /// key.
    private func reportUse(of key: LongTermKey, _ context: inout LinkContext) {
        guard context.configuration.keyObserver != nil else { return }
        let (central, peripheral) = role == .central ? (localAddress, peer) : (peer, localAddress)
        context.emit(.usesKey(LinkKey(central: central, peripheral: peripheral, key: key)))
    }
}

extension LongTermKey {
    /// Returns whether a link may be encrypted with the key. The key must not be zero
    /// (CVE-2019-19194). A key of LE legacy pairing also needs a diversifier or a random number
    /// other than zero.
    func isUsable(by bond: Bond) -> Bool {
        !value.isZero && (bond.usesSecureConnections || diversifier != 0 || random != 0)
    }
}

extension HCI.Key128 {
    fileprivate var isZero: Bool { bytes.allSatisfy { $0 == 0 } }
}
