// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// What a policy lets a pairing come to.
extension Pairing.Policy {
    /// Throws unless the pairing may go on by these terms, and what it makes may take the place of
    /// `bond`.
    func judge(_ terms: Terms, replacing bond: LinkSecurity?) throws(Refusal) {
        guard terms.usesSecureConnections || allowsLegacyPairing,
            terms.method.isAuthenticated || !requiresAuthentication,
            !forbiddenMethods.contains(terms.method),
            allows(terms.strength, replacing: bond)
        else { throw Refusal(.authenticationRequirements) }
        guard terms.keySize >= keySizes.lowerBound else { throw Refusal(.encryptionKeySize) }
    }

    /// Throws if no peer whatever could be paired with as the policy demands: nothing need be sent
    /// to find that out.
    func judge(replacing bond: LinkSecurity?) throws(Refusal) {
        let isDemanding =
            requiresAuthentication || (bond?.isAuthenticated ?? false) && !allowsWeakerBond
        let isAble =
            ioCapability != .noInputNoOutput || peerOutOfBandData != nil
            || localOutOfBandData != nil
        guard isAble || !isDemanding, usesSecureConnections || allowsLegacyPairing else {
            throw Refusal(.authenticationRequirements)
        }
    }

    /// A bond is not replaced by a weaker one, unless the application says so: whoever can make
    /// somebody pair again could otherwise get rid of its protection.
    private func allows(_ strength: LinkSecurity, replacing bond: LinkSecurity?) -> Bool {
        guard let bond, !allowsWeakerBond else { return true }
        return (strength.isAuthenticated || !bond.isAuthenticated)
            && (strength.usesSecureConnections || !bond.usesSecureConnections)
            && strength.keySize >= bond.keySize
    }
}
