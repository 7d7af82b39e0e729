// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import Testing

@Suite("Pairing policies")
struct PolicyTests {
    @Test("The default policy requires LE Secure Connections with keys of full size")
    func defaultPolicy() {
        let policy = Pairing.Policy()
        #expect(!policy.allowsLegacyPairing)
        #expect(policy.minimumKeySize == 16)
        #expect(!policy.usesPublishedDebugKey)
        #expect(!policy.allowsWeakerBond)
    }
}
