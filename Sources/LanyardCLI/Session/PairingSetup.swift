// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// How a command's host pairs; a command that says nothing of it uses bonds and makes none.
struct PairingSetup: Sendable {
    var policy = Pairing.Policy()
    var delegate: (any PairingDelegate)?
    /// Whether others may begin.
    var acceptsPairing = false
    var bondLossPolicy = BondLossPolicy.refuse
    /// Set as soon as new keys are shared with anybody.
    let hasBonded = Latch()
    /// Whether somebody is asked something, who takes longer than a machine.
    var isTalking: @Sendable () -> Bool = { false }

    func apply(to configuration: inout HostConfiguration) {
        configuration.pairing = policy
        configuration.pairingDelegate = delegate
        configuration.acceptsPairing = acceptsPairing
        configuration.bondLossPolicy = bondLossPolicy
        // Who is not asked would but read that nobody was.
        configuration.securesOnDemand = delegate != nil
    }
}
