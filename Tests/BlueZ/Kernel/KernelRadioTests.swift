// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import PairingTestSupport
import Testing

/// BlueZ bonds through one controller of ours, and another controller with the same identity
/// encrypts its next link. The table in docs/ROAMING.md names these tests in its row for BlueZ.
@Suite(.machines) struct KernelRadioTests {
    @Test(
        "A BlueZ that bonded through one controller encrypts through the other",
        arguments: Setting.each(false, orElse: true),
        [Privacy.off, .on]
    )
    func takeOver(_ peer: (setting: Setting, isPeerPrivate: Bool), privacy: Privacy) async throws {
        try await withKernel(
            peer.setting,
            as: .peripheral,
            "one identity on two controllers",
            BlueZConfiguration(privacy: peer.isPeerPrivate ? "device" : nil)
        ) { fixture in
            let person = Person()
            let hosts = try await Self.makeHosts(fixture, privacy, person)
            // One advertisement for each link: Linux does not restart the first one.
            try await fixture.serveSharedService(io: .displayYesNo, for: 2)
            let found = try await fixture.discover(hosts[0]) { $0.data.localName == "Kernel" }
            let isResolvable = found.address.randomKind == .resolvablePrivate
            #expect(isResolvable == peer.isPeerPrivate)
            let link = try await hosts[0].connect(to: found.address)
            let secret = try await FoundSharedService(on: link).secret
            let security = try await link.pair()
            #expect(security.isBonded && security.isAuthenticated)
            // BlueZ stores its keys a little later.
            try await fixture.bluez.isBonded(with: await hosts[0].identityAddress)
            // The bond is known at once on the other controller.
            let bonds = await hosts[1].bonds
            #expect(bonds.map(\.identity) == [KernelAir.kernelAddress])

            // BlueZ detects the loss by its supervision timeout.
            await fixture.kernelAir.switchOffController(of: hosts[0])
            try await fixture.bluez.isAlone()
            let next = try await hosts[1].connect(to: KernelAir.kernelAddress)
            #expect(try await next.read(secret.valueHandle) == SharedService.secretValue)
            #expect(try await next.security == security)
            #expect(try await next.bondedPeer?.identifier == bonds.first?.identifier)
            #expect(person.methods == [.numericComparison], "the bond needs no second question")
        }
    }

    /// Returns two hosts with one identity, each with a controller of its own.
    private static func makeHosts(
        _ fixture: KernelFixture,
        _ privacy: Privacy,
        _ person: Person
    ) async throws -> [BluetoothHost] {
        let store = SharedStore()
        let configurations = (1...2).map { _ in
            var configuration = HostConfiguration()
            configuration.store = store.makeMember()
            configuration.privacy = privacy
            configuration.pairing.ioCapability = .displayYesNo
            configuration.pairingDelegate = person
            return configuration
        }
        return try await fixture.kernelAir.makeHosts(configurations)
    }
}
