// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The pairings that a policy allows.
extension Pairing.Policy {
    /// Checks that the policy allows a pairing with these terms, and that its result may replace
    /// `bond`.
    ///
    /// - Throws: ``PairingRefusal`` if not.
    func check(_ terms: Terms, replacing bond: LinkSecurity?) throws(PairingRefusal) {
        guard terms.usesSecureConnections || allowsLegacyPairing,
            terms.method.isAuthenticated || !requiresAuthentication,
            !forbiddenMethods.contains(terms.method),
            allows(terms.strength, replacing: bond)
        else { throw PairingRefusal(.authenticationRequirements) }
        guard terms.keySize >= keySizes.lowerBound else { throw PairingRefusal(.encryptionKeySize) }
    }

    /// Checks, before any PDU is sent, that a pairing can succeed: the capabilities can provide the
    /// authentication that the policy or `bond` requires, and the policy allows LE Secure
    /// Connections or legacy pairing.
    ///
    /// - Throws: ``PairingRefusal`` if not.
    func check(replacing bond: LinkSecurity?) throws(PairingRefusal) {
        let isDemanding =
            requiresAuthentication || (bond?.isAuthenticated ?? false) && !allowsWeakerBond
        let isAble =
            ioCapability != .noInputNoOutput || peerOutOfBandData != nil
            || localOutOfBandData != nil
        guard isAble || !isDemanding, usesSecureConnections || allowsLegacyPairing else {
            throw PairingRefusal(.authenticationRequirements)
        }
    }

    /// Returns whether a new key may replace a bond. A weaker key may replace it only if the
    /// application permits that (`allowsWeakerBond`). Otherwise, an attacker could remove the
    /// protection by causing a new pairing.
    private func allows(_ strength: LinkSecurity, replacing bond: LinkSecurity?) -> Bool {
        guard let bond, !allowsWeakerBond else { return true }
        return (strength.isAuthenticated || !bond.isAuthenticated)
            && (strength.usesSecureConnections || !bond.usesSecureConnections)
            && strength.keySize >= bond.keySize
    }
}
