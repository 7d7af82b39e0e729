// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import PairingTestSupport
import Testing

/// A bond between BlueZ and our host survives restarts of both, until either side loses it.
@Suite(.machines) struct BondsWithBlueZTests {
    /// Our host restarts, then bluetoothd and our host. Each time the bond encrypts the link, and
    /// our user is not asked.
    @Test("A bond survives restarts of the host and of BlueZ", arguments: Setting.all)
    func restarts(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "bonded reconnection") { bluez in
            let plan = Self.plan(storing: MemoryStore())
            try await bluez.powerOn()
            let bonds = try await withServer(near: bluez, plan) { server in
                let (client, _) = try await server.connectClient()
                try await server.pair()
                _ = try await client.subscribe(to: ServerFixture.secret)
                let handle = try server.handle(ServerFixture.secret)
                try await server.application.subscription(of: handle, .notification)
                return await server.host.bonds
            }
            #expect(bonds.count == 1)
            try await withServer(near: bluez, plan) { server in
                try await expectRecognition(of: bonds, at: server)
                try await expectSubscriptionIsKept(at: server)
            }
            try await bluez.restartDaemon()
            try await bluez.powerOn()
            try await withServer(near: bluez, plan) { server in
                try await expectRecognition(of: bonds, at: server)
            }
        }
    }

    /// Our host has lost its keys. It serves no protected value to BlueZ until BlueZ removes its
    /// keys as well and pairs again.
    ///
    /// Not tested on Linux 6.1, whose kernel corrupts one of its lists when bluetoothd closes the
    /// channel that it could not encrypt: `kernel BUG at lib/list_debug.c`.
    @Test(
        "BlueZ has to pair again after the host lost the keys",
        arguments: Setting.all.filter { $0.release != .bookworm }
    )
    func lostByHost(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "bond lost by the host") { bluez in
            try await bluez.powerOn()
            _ = try await bond(Self.plan(storing: nil), near: bluez)
            try await withServer(near: bluez, Self.plan(storing: nil)) { server in
                let link = try await server.connectBriefly()
                // BlueZ tries to encrypt with its key, receives the error that our host has no key,
                // and disconnects.
                try await server.application.disconnection(of: link)
                #expect(server.person.experiences == [])
                #expect(await server.host.bonds.isEmpty)
                // In this state BlueZ 5.82 ignores a request to remove the device.
                try await bluez.restartDaemon(forgets: true)
                try await bluez.powerOn()
                let (client, _) = try await server.connectClient()
                try await server.pair()
                #expect(try await client.read(ServerFixture.secret) == ServerFixture.protectedValue)
            }
        }
    }

    /// BlueZ has lost its keys. Our host refuses every request, and BlueZ pairs because of that.
    /// The user on our side decides whether to accept the new pairing: another device may use
    /// BlueZ's address.
    @Test(
        "The host's user decides whether a BlueZ without keys pairs again",
        arguments: Setting.all
    )
    func lostByBlueZ(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "bond lost by BlueZ") { bluez in
            var plan = Self.plan(storing: MemoryStore())
            plan.configuration.bondLossPolicy = .ask
            try await bluez.powerOn()
            let before = try await bond(plan, near: bluez)
            try await bluez.forget(bluez.path(of: ServerFixture.address))
            try await withServer(near: bluez, plan) { server in
                try await expectDistrust(of: before, at: server)
            }
            try await withServer(near: bluez, plan) { server in
                try await expectTrust(at: server)
                // The new bond is for the same peer, and is as strong.
                #expect(
                    await server.host.bonds.map(BondContent.init) == before.map(BondContent.init)
                )
            }
        }
    }

    // MARK: Helpers

    private static func plan(storing store: MemoryStore?) -> ServerPlan {
        .such { plan in
            plan.services = [ServerFixture.protected]
            plan.configuration.store = store
        }
    }

    /// Connects for the first time, and pairs. Returns our host's bonds afterward.
    private func bond(_ plan: ServerPlan, near bluez: BlueZ) async throws -> [BondedPeer] {
        try await withServer(near: bluez, plan) { server in
            let (_, link) = try await server.connectClient()
            try await server.pair()
            let bonds = await server.host.bonds
            try await server.disconnect(link)
            return bonds
        }
    }

    /// Makes our user decline the new pairing, and expects that our host keeps its bonds.
    private func expectDistrust(of bonds: [BondedPeer], at server: ServingHostFixture) async throws
    {
        var behavior = Person.Behavior()
        behavior.pairsAgain = false
        server.person.behave(behavior)
        _ = try await server.bluez.findServer()
        let link = try await server.connectBriefly()
        try await server.application.disconnection(of: link)
        #expect(server.person.experiences == [.askedAgain])
        #expect(await server.host.bonds.map(BondContent.init) == bonds.map(BondContent.init))
        try await server.client.forget()
    }

    /// Makes our user accept the new pairing. BlueZ may lose the request for which it paired, so it
    /// connects again with its new keys.
    private func expectTrust(at server: ServingHostFixture) async throws {
        let events = await server.host.securityEvents()
        _ = try await server.bluez.findServer()
        let link = try await server.connectBriefly()
        try await ServingHostFixture.keys(in: events)
        #expect(server.person.experiences.first == .askedAgain)
        try? await link.disconnect()
        try await server.application.disconnection(of: link)
        try await server.bluez.isAlone()
        let again = try await server.reconnect()
        #expect(try await server.client.read(ServerFixture.secret) == ServerFixture.protectedValue)
        #expect(try await again.security.isBonded)
    }

    private func expectRecognition(of bonds: [BondedPeer], at server: ServingHostFixture)
        async throws
    {
        #expect(await server.host.bonds == bonds)
        let link = try await server.reconnect()
        #expect(try await server.client.read(ServerFixture.secret) == ServerFixture.protectedValue)
        #expect(try await link.security == bonds.first?.security)
        #expect(try await link.bondedPeer == bonds.first)
        #expect(server.person.experiences == [])
    }

    /// The parts of a bond that must not change. The name may be stored later than the keys.
    private struct BondContent: Equatable {
        let identifier: PeerIdentifier
        let identity: DeviceAddress
        let security: LinkSecurity
        let isPrivate: Bool

        init(_ bond: BondedPeer) {
            identifier = bond.identifier
            identity = bond.identity
            security = bond.security
            isPrivate = bond.isPrivate
        }
    }

    private func expectSubscriptionIsKept(at server: ServingHostFixture) async throws {
        let handle = try server.handle(ServerFixture.secret)
        let link = try #require(await server.host.subscribers(of: handle).first)
        let path = try await server.client.subscribe(to: ServerFixture.secret)
        try await link.notify([8], of: handle)
        try await server.client.value([8], by: path)
    }
}
