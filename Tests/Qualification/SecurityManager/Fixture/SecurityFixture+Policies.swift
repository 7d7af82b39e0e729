// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes

extension Pairing.Policy {
    /// Returns a policy for cases about other phases than key distribution. By default, it does not
    /// bond, and thus distributes no keys.
    static func plain(
        _ ioCapability: Pairing.IOCapability = .noInputNoOutput,
        isLegacy: Bool = false,
        isBonding: Bool = false
    ) -> Pairing.Policy {
        var policy = Pairing.Policy()
        policy.ioCapability = ioCapability
        policy.isBonding = isBonding
        policy.allowsLegacyPairing = isLegacy
        return policy
    }
}

extension SMP.PairingFeatures {
    /// Returns the features of the tester.
    static func tester(
        _ ioCapability: Pairing.IOCapability = .noInputNoOutput,
        _ requirements: SMP.AuthenticationRequirements = .secureConnections,
        hasOutOfBandData: Bool = false,
        keySize: Int = 16,
        keys: SMP.KeyDistribution = []
    ) -> SMP.PairingFeatures {
        SMP.PairingFeatures(
            ioCapability: ioCapability,
            hasOutOfBandData: hasOutOfBandData,
            requirements: requirements,
            maximumKeySize: keySize,
            initiatorKeys: keys,
            responderKeys: keys
        )
    }
}

extension SMP.AuthenticationRequirements {
    /// Every reserved bit (Vol 3, Part H, 3.5.1).
    static let reserved = SMP.AuthenticationRequirements(rawValue: 0xC0)
}
