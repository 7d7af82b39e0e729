// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// A Bumble accessory that advertises with a static random address, and distributes the public
/// address of its controller as its identity address.
@Suite(.needsPeers) struct IdentityAddressTests {
    @Test(
        "A bonded peer reconnects with the address that it had at the pairing",
        arguments: ControllerKind.available
    )
    func advertisedAddress(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            let (first, accessory) = try await fixture.link(options: ["--public-identity"])
            let security = try await first.pair()
            let bond = try #require(try await first.bondedPeer)
            try await accessory.waitForKeys()
            #expect(bond.identity.kind == .public)
            try await first.disconnect()
            for target in [bond.identity, HostFixture.address()] {
                let link = try await fixture.host.connectQuickly(to: target)
                #expect(try await link.security == security)
                #expect(try await link.bondedPeer?.identifier == bond.identifier)
                try await link.disconnect()
            }
        }
    }
}
