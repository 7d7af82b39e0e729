// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// What a policy has us tell the peer.
extension Pairing.Policy {
    /// What we want, as a Pairing Request or a Security Request says it.
    var requirements: SMP.AuthenticationRequirements {
        var requirements: SMP.AuthenticationRequirements = []
        if isBonding { requirements.insert(.bonding) }
        if wantsProtection { requirements.insert(.protection) }
        if offersSecureConnections { requirements.insert(.secureConnections) }
        if usesKeypressNotifications { requirements.insert(.keypress) }
        return requirements
    }

    /// The features of our Pairing Request.
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

    /// The features of our answer to a Pairing Request: what was asked for, as far as we have it.
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

    private var wantsProtection: Bool {
        requiresAuthentication || prefersAuthentication && ioCapability != .noInputNoOutput
    }

    /// A temporary key is of use to legacy pairing only, and the one flag for data out of band speaks
    /// of what both sides can do best. So whoever has nothing but a temporary key, and may use it,
    /// does not begin with LE Secure Connections.
    private var offersSecureConnections: Bool {
        let hasOnlyTemporaryKey =
            localOutOfBandData == nil && peerConfirmation == nil
            && peerOutOfBandData?.temporaryKey != nil
        return usesSecureConnections && !(allowsLegacyPairing && hasOnlyTemporaryKey)
    }

    private func hasOutOfBandData(forSecureConnections isSecure: Bool) -> Bool {
        isSecure ? peerConfirmation != nil : temporaryKey(isInitiator: true) != nil
    }

    /// Keys for BR/EDR are not derived, so `linkKey` is never there.
    private var distribution: SMP.KeyDistribution {
        isBonding ? keyDistribution.subtracting(.linkKey) : []
    }

    /// The shortest key that is good enough, and the longest that is asked for. If that is shorter, no
    /// key is good enough: a maximum never makes a minimum smaller.
    var keySizes: (lowerBound: Int, upperBound: Int) {
        func clamp(_ size: Int) -> Int {
            let range = LinkSecurity.keySizeRange
            return min(max(size, range.lowerBound), range.upperBound)
        }
        return (clamp(minimumKeySize), clamp(maximumKeySize))
    }
}

// What was handed over by another way.
extension Pairing.Policy {
    /// What the peer confirmed its public key with; nil if we have not heard from it.
    var peerConfirmation: (value: SMP.Value128, random: SMP.Value128)? {
        guard let value = peerOutOfBandData?.confirmation.flatMap({ SMP.Value128($0) }),
            let random = peerOutOfBandData?.random.flatMap({ SMP.Value128($0) })
        else { return nil }
        return (value, random)
    }

    /// The random number that the peer has heard of; nil if we have told it nothing.
    var localRandom: SMP.Value128? {
        localOutOfBandData?.data.random.flatMap { SMP.Value128($0) }
    }

    /// The temporary key of legacy pairing. One is enough; if each side has given the other one, the
    /// initiator's counts.
    func temporaryKey(isInitiator: Bool) -> HCI.Key128? {
        let local = localOutOfBandData?.data.temporaryKey
        let peer = peerOutOfBandData?.temporaryKey
        let octets = isInitiator ? local ?? peer : peer ?? local
        return octets.flatMap { HCI.Key128($0) }
    }
}
