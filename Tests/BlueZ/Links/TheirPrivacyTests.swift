// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// BlueZ uses private addresses. Our host resolves them once the two are bonded.
@Suite(.machines) struct TheirPrivacyTests {
    private static let configuration = BlueZConfiguration(privacy: "device")

    @Test(
        "The host reconnects to a bonded BlueZ after its private address changed",
        arguments: Setting.all
    )
    func hostReconnects(_ setting: Setting) async throws {
        try await withBlueZ(
            setting,
            as: .peripheral,
            "privacy: theirs",
            Self.configuration
        ) { bluez in
            let identity = try await bluez.powerOnForLinks()
            try await bluez.advertise(name: "theirs")
            let host = try await bluez.makeHost(.bonding)
            let first = try await host.awaitDiscovery("theirs").address
            #expect(first.randomKind == .resolvablePrivate)

            let link = try await host.connect(to: first)
            _ = try await link.pair()
            #expect(try await link.bondedPeer?.identity == identity)
            #expect(try await link.bondedPeer?.isPrivate == true)
            try await bluez.hasExplored()
            try await link.disconnect()
            try await bluez.isAlone()

            try await bluez.changeAddress()
            try await bluez.advertise(name: "theirs", number: 2)
            let received = try await host.awaitDiscovery("theirs") { $0.privateAddress != first }
            #expect(received.isIdentityResolved)
            #expect(received.address == identity)
            let again = try await host.connect(to: identity)
            #expect(try await again.pair().isEncrypted)
            #expect(await host.bonds.count == 1)
        }
    }

    @Test(
        "The host recognizes a bonded BlueZ that connects from another private address",
        arguments: Setting.all
    )
    func hostRecognizesBlueZ(_ setting: Setting) async throws {
        try await withBlueZ(
            setting,
            as: .central,
            "privacy: theirs",
            Self.configuration
        ) { bluez in
            let identity = try await bluez.powerOnForLinks()
            let host = try await bluez.makeHost(.bonding)
            _ = try await host.advertise(as: "ours")
            try await bluez.scan()
            let found = try await bluez.device(named: "ours")
            let link = try await host.incomingLink { try await bluez.pair(found, with: host) }
            let first = link.address
            #expect(first.randomKind == .resolvablePrivate)
            #expect(try await link.bondedPeer?.identity == identity)
            try await bluez.hasExplored()
            try await link.disconnect()
            try await bluez.isAlone()

            try await bluez.changeAddress()
            let again = try await host.incomingLink { try await bluez.connect(found) }
            #expect(try await again.pair().isEncrypted)
            #expect(try await again.bondedPeer?.identity == identity)
            #expect(again.address != first)
            #expect(await host.bonds.count == 1)
        }
    }

    @Test("A host and a BlueZ that both use private addresses reconnect", arguments: Setting.all)
    func bothPrivate(_ setting: Setting) async throws {
        try await withBlueZ(
            setting,
            as: .peripheral,
            "privacy: of both",
            Self.configuration
        ) { bluez in
            let identity = try await bluez.powerOnForLinks()
            try await bluez.advertise(name: "theirs")
            let host = try await bluez.makeHost(.bondingPrivately)
            let first = try await host.awaitDiscovery("theirs").address
            let link = try await host.connect(to: first)
            _ = try await link.pair()
            try await bluez.hasExplored()
            try await link.disconnect()
            try await bluez.isAlone()

            try await bluez.changeAddress()
            try await bluez.advertise(name: "theirs", number: 2)
            // btvirt accepts a resolving list and resolves no address. Our host detects that by an
            // unresolved discovery.
            _ = try await host.awaitDiscovery("theirs") { $0.privateAddress != first }
            let again = try await host.connect(to: identity, options: .whenAvailable)
            #expect(try await again.pair().isEncrypted)
            #expect(await host.bonds.count == 1)
            let known = try await bluez.known(as: host.identityAddress)
            #expect(try await bluez.device(known)["Connected"] == .boolean(true))
        }
    }
}

extension BlueZ {
    /// Makes the kernel take another private address, which it does when the adapter is powered on.
    fileprivate func changeAddress() async throws {
        try await powerOff()
        try await powerOn()
    }

    /// Adds an advertisement, or replaces one that ended when the adapter was powered off.
    fileprivate func advertise(name: String, number: Int) async throws {
        try await advertise(name: name, ["number": .number(Double(number))])
    }
}
