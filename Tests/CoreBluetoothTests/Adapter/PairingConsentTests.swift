// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

@testable import BluetoothClients
@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("Pairing without a delegate")
struct PairingConsentTests {
    private let link = LinkIdentifier(rawValue: 7)

    @Test("8.1 Only a central may start a pairing, and only while a service is protected")
    func pairingConditions() {
        for hasProtectedContent in [false, true] {
            for linksToCentrals: Set<LinkIdentifier> in [[], [LinkIdentifier(rawValue: 8)], [link]]
            {
                let pairingConditions = PairingConditions(
                    hasProtectedContent: hasProtectedContent,
                    linksToCentrals: linksToCentrals
                )
                #expect(
                    pairingConditions.permit(link)
                        == (hasProtectedContent && linksToCentrals == [link])
                )
            }
        }
    }

    @Test("8.1 Legacy pairing is allowed only in pairings that this device starts")
    func legacy() {
        var configuration = HostConfiguration()
        configuration.pairAsApplicationsExpect(LockedState(AdapterSwitches()))
        #expect(configuration.pairing.allowsLegacyPairing)
        #expect(configuration.peerPairing == Pairing.Policy())
    }

    @Test("8.1 A pairing policy in the adapter's configuration is kept")
    func configured() {
        var configuration = HostConfiguration()
        configuration.pairing.requiresAuthentication = true
        let policy = configuration.pairing
        configuration.pairAsApplicationsExpect(LockedState(AdapterSwitches()))
        #expect(configuration.pairing == policy && configuration.peerPairing == nil)
    }
}
