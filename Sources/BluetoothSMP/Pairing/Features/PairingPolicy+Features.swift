// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// The features that result from a policy.
extension Pairing.Policy {
    /// The requirements of the policy, for a Pairing Request or a Security Request.
    var requirements: SMP.AuthenticationRequirements {
        var requirements: SMP.AuthenticationRequirements = []
        if isBonding { requirements.insert(.bonding) }
        if requestsProtection { requirements.insert(.protection) }
        if offersSecureConnections { requirements.insert(.secureConnections) }
        if usesKeypressNotifications { requirements.insert(.keypress) }
        return requirements
    }

    /// The features of a local Pairing Request.
    var request: SMP.PairingFeatures {
        SMP.PairingFeatures(
            ioCapability: ioCapability,
            hasOutOfBandData: hasOutOfBandData(forSecureConnections: offersSecureConnections),
            requirements: requirements,
            maximumKeySize: keySizes.upperBound,
            initiatorKeys: distribution,
            responderKeys: distribution
        )
    }

    /// Returns the features of the response to a Pairing Request. They are those of the policy. The
    /// keys to distribute are the requested ones that the policy distributes too, and none unless
    /// both devices store keys.
    func response(to request: SMP.PairingFeatures) -> SMP.PairingFeatures {
        var wanted = requirements
        if usesSecureConnections { wanted.insert(.secureConnections) }
        let isSecure = wanted.intersection(request.requirements).contains(.secureConnections)
        let isBonded = isBonding && request.requirements.isBonding
        let common = isBonded ? distribution.subtracting(isSecure ? .encryptionKey : []) : []
        return SMP.PairingFeatures(
            ioCapability: ioCapability,
            hasOutOfBandData: hasOutOfBandData(forSecureConnections: isSecure),
            requirements: wanted,
            maximumKeySize: keySizes.upperBound,
            initiatorKeys: common.intersection(request.initiatorKeys),
            responderKeys: common.intersection(request.responderKeys)
        )
    }

    private var requestsProtection: Bool {
        requiresAuthentication || prefersAuthentication && ioCapability != .noInputNoOutput
    }

    /// Whether a local request offers LE Secure Connections.
    ///
    /// A temporary key is useful only for legacy pairing. The OOB data flag does not name a kind of
    /// pairing: if both devices support LE Secure Connections, the flag refers to that. If the
    /// policy has only a temporary key and allows legacy pairing, a local request therefore does
    /// not offer LE Secure Connections.
    private var offersSecureConnections: Bool {
        let hasOnlyTemporaryKey =
            localOutOfBandData == nil && peerConfirmation == nil
            && peerOutOfBandData?.temporaryKey != nil
        return usesSecureConnections && !(allowsLegacyPairing && hasOnlyTemporaryKey)
    }

    private func hasOutOfBandData(forSecureConnections isSecure: Bool) -> Bool {
        isSecure ? peerConfirmation != nil : temporaryKey(isInitiator: true) != nil
    }

    /// The keys to distribute, without `linkKey`, because this package does not derive keys for
    /// BR/EDR.
    private var distribution: SMP.KeyDistribution {
        isBonding ? keyDistribution.subtracting(.linkKey) : []
    }

    /// The smallest acceptable key size and the largest requested one. If the largest is less than
    /// the smallest, no key is acceptable, because a maximum never reduces a minimum.
    var keySizes: (lowerBound: Int, upperBound: Int) {
        func clamp(_ size: Int) -> Int {
            let range = LinkSecurity.keySizeRange
            return min(max(size, range.lowerBound), range.upperBound)
        }
        return (clamp(minimumKeySize), clamp(maximumKeySize))
    }
}

// The out-of-band data.
extension Pairing.Policy {
    /// The confirmation of the peer's public key, or `nil` if there is no such data.
    var peerConfirmation: (value: SMP.Value128, random: SMP.Value128)? {
        guard let value = peerOutOfBandData?.confirmation.flatMap({ SMP.Value128($0) }),
            let random = peerOutOfBandData?.random.flatMap({ SMP.Value128($0) })
        else { return nil }
        return (value, random)
    }

    /// The random number in the local out-of-band data, which the peer has received; `nil` if there
    /// is no such data.
    var localRandom: SMP.Value128? {
        localOutOfBandData?.data.random.flatMap { SMP.Value128($0) }
    }

    /// Returns the temporary key of legacy pairing, or `nil` if no device has given one to the
    /// other. If both devices have given one to the other, the key of the initiator is used.
    func temporaryKey(isInitiator: Bool) -> HCI.Key128? {
        let local = localOutOfBandData?.data.temporaryKey
        let peer = peerOutOfBandData?.temporaryKey
        let bytes = isInitiator ? local ?? peer : peer ?? local
        return bytes.flatMap { HCI.Key128($0) }
    }
}
