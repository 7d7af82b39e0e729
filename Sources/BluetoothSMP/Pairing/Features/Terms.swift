// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What follows from a Pairing Request and its response: how the rest of the pairing goes.
struct Terms: Hashable, Sendable {
    let usesSecureConnections: Bool
    let method: Pairing.Method
    /// In octets.
    let keySize: Int
    let isBonding: Bool
    /// Whether entering a passkey is accompanied by Keypress Notifications.
    let usesKeypresses: Bool
    let initiatorKeys: SMP.KeyDistribution
    let responderKeys: SMP.KeyDistribution

    /// Throws if there is something in the features that must not be there.
    init(
        request: SMP.PairingFeatures,
        response: SMP.PairingFeatures,
        isInitiator: Bool
    ) throws(Refusal) {
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
        // The bit of the long term key has no meaning where both sides compute the same one.
        let pointless: SMP.KeyDistribution = usesSecureConnections ? .encryptionKey : []
        initiatorKeys = response.initiatorKeys.subtracting(pointless)
        responderKeys = response.responderKeys.subtracting(pointless)
    }

    /// How good the key will be that the link is encrypted with.
    var strength: LinkSecurity {
        LinkSecurity(
            isEncrypted: true,
            isAuthenticated: method.isAuthenticated,
            usesSecureConnections: usesSecureConnections,
            keySize: keySize
        )
    }
}

/// The features of one side, without values that are reserved.
private struct Declaration {
    let ioCapability: Pairing.IOCapability
    let hasOutOfBandData: Bool
    let wantsProtection: Bool
    let keySize: Int

    init(_ features: SMP.PairingFeatures) throws(Refusal) {
        let keySize = Int(features.maximumKeySize)
        guard let ioCapability = features.ioCapability,
            let hasOutOfBandData = features.hasOutOfBandData,
            LinkSecurity.keySizeRange.contains(keySize)
        else { throw Refusal(.invalidParameters) }
        self.ioCapability = ioCapability
        self.hasOutOfBandData = hasOutOfBandData
        self.keySize = keySize
        wantsProtection = features.requirements.contains(.protection)
    }

    /// The method, as seen from one of the sides (Vol 3, Part H, 2.3.5.1, Tables 2.6 to 2.8).
    static func method(
        _ initiator: Declaration,
        _ responder: Declaration,
        usesSecureConnections: Bool,
        isInitiator: Bool
    ) -> Pairing.Method {
        let flags = [initiator.hasOutOfBandData, responder.hasOutOfBandData]
        // The temporary key of legacy pairing has to be on both sides; for LE Secure Connections it
        // is enough that one has heard from the other.
        if usesSecureConnections ? flags.contains(true) : !flags.contains(false) {
            return .outOfBand
        }
        guard initiator.wantsProtection || responder.wantsProtection else { return .justWorks }
        return .following(
            initiator: initiator.ioCapability,
            responder: responder.ioCapability,
            usesSecureConnections: usesSecureConnections,
            isInitiator: isInitiator
        )
    }
}

extension SMP.PairingFeatures {
    /// The responder cannot promise or ask for keys that the initiator has not spoken of
    /// (Vol 3, Part H, 3.6.1).
    fileprivate func checkDistribution(answering request: Self) throws(Refusal) {
        let known: SMP.KeyDistribution = [.encryptionKey, .identityKey, .signingKey, .linkKey]
        guard
            initiatorKeys.intersection(known).isSubset(of: request.initiatorKeys),
            responderKeys.intersection(known).isSubset(of: request.responderKeys)
        else { throw Refusal(.invalidParameters) }
    }
}
