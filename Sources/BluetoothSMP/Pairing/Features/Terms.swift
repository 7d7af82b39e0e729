// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The terms of a pairing, which result from the Pairing Request and its response.
struct Terms: Hashable, Sendable {
    let usesSecureConnections: Bool
    let method: Pairing.Method
    /// The key size in bytes.
    let keySize: Int
    let isBonding: Bool
    /// Whether the devices send keypress notifications during passkey entry.
    let usesKeypresses: Bool
    let initiatorKeys: SMP.KeyDistribution
    let responderKeys: SMP.KeyDistribution

    /// Determines the terms.
    ///
    /// - Throws: ``PairingRefusal`` if the features contain a value that is not allowed.
    init(
        request: SMP.PairingFeatures,
        response: SMP.PairingFeatures,
        isInitiator: Bool
    ) throws(PairingRefusal) {
        let initiator = try Declaration(request)
        let responder = try Declaration(response)
        try response.checkDistribution(answering: request)
        let common = request.requirements.intersection(response.requirements)
        usesSecureConnections = common.contains(.secureConnections)
        method = Declaration.method(
            initiator,
            responder,
            usesSecureConnections: usesSecureConnections,
            isInitiator: isInitiator
        )
        keySize = min(initiator.keySize, responder.keySize)
        isBonding = request.requirements.isBonding && response.requirements.isBonding
        usesKeypresses = common.contains(.keypress) && method.hasPasskey
        // The bit of the long-term key has no meaning if both devices compute the same key.
        let meaninglessKeys: SMP.KeyDistribution = usesSecureConnections ? .encryptionKey : []
        initiatorKeys = response.initiatorKeys.subtracting(meaninglessKeys)
        responderKeys = response.responderKeys.subtracting(meaninglessKeys)
    }

    /// The security of a link that is encrypted with the resulting key.
    var strength: LinkSecurity {
        LinkSecurity(
            isEncrypted: true,
            isAuthenticated: method.isAuthenticated,
            usesSecureConnections: usesSecureConnections,
            keySize: keySize
        )
    }
}

/// The features of one device, without reserved values.
private struct Declaration {
    let ioCapability: Pairing.IOCapability
    let hasOutOfBandData: Bool
    let requestsProtection: Bool
    let keySize: Int

    init(_ features: SMP.PairingFeatures) throws(PairingRefusal) {
        let keySize = Int(features.maximumKeySize)
        guard let ioCapability = features.ioCapability,
            let hasOutOfBandData = features.hasOutOfBandData,
            LinkSecurity.keySizeRange.contains(keySize)
        else { throw PairingRefusal(.invalidParameters) }
        self.ioCapability = ioCapability
        self.hasOutOfBandData = hasOutOfBandData
        self.keySize = keySize
        requestsProtection = features.requirements.contains(.protection)
    }

    /// Returns the method from the point of view of one device (Vol 3, Part H, 2.3.5.1, Tables 2.6
    /// to 2.8).
    static func method(
        _ initiator: Declaration,
        _ responder: Declaration,
        usesSecureConnections: Bool,
        isInitiator: Bool
    ) -> Pairing.Method {
        let flags = [initiator.hasOutOfBandData, responder.hasOutOfBandData]
        // Legacy pairing requires the temporary key on both devices. LE Secure Connections only
        // requires that one device has data of the other.
        if usesSecureConnections ? flags.contains(true) : !flags.contains(false) {
            return .outOfBand
        }
        guard initiator.requestsProtection || responder.requestsProtection else {
            return .justWorks
        }
        return .following(
            initiator: initiator.ioCapability,
            responder: responder.ioCapability,
            usesSecureConnections: usesSecureConnections,
            isInitiator: isInitiator
        )
    }
}

extension SMP.PairingFeatures {
    /// Checks that the responder includes no keys that the request does not include (Vol 3, Part H,
    /// 3.6.1).
    fileprivate func checkDistribution(answering request: Self) throws(PairingRefusal) {
        let known: SMP.KeyDistribution = [.encryptionKey, .identityKey, .signingKey, .linkKey]
        guard
            initiatorKeys.intersection(known).isSubset(of: request.initiatorKeys),
            responderKeys.intersection(known).isSubset(of: request.responderKeys)
        else { throw PairingRefusal(.invalidParameters) }
    }
}
