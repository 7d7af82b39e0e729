// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import PairingTestSupport
import Testing

/// A bond between BlueZ and our host survives restarts of both, until one of them loses it.
@Suite(.machines) struct BondsWithBlueZTests {
    /// Our host restarts, then bluetoothd. Each time the link is encrypted before the first
    /// request, and no user is asked to pair.
    @Test(arguments: Setting.all)
    func aBondOutlivesBothSides(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "bonded reconnection") { bluez in
            let plan = Self.plan(storing: MemoryStore())
            try await bluez.powerOn()
            let bonds = try await withStall(near: bluez, plan) { stall in
                let (visitor, _) = try await stall.arrive()
                try await stall.pair()
                _ = try await visitor.subscribe(to: Stall.secret)
                let handle = try stall.handle(Stall.secret)
                try await stall.keeper.subscription(of: handle, .notification)
                return await stall.host.bonds
            }
            #expect(bonds.count == 1)
            try await withStall(near: bluez, plan) { stall in
                try await expectRecognition(of: bonds, at: stall)
                try await expectSubscriptionIsKept(at: stall)
            }
            try await bluez.restartDaemon()
            try await bluez.powerOn()
            try await withStall(near: bluez, plan) { stall in
                try await expectRecognition(of: bonds, at: stall)
            }
        }
    }

    /// Our host has lost its keys. It serves BlueZ nothing that they protect until BlueZ removes
    /// its keys as well and pairs again.
    ///
    /// Not on Linux 6.1, whose kernel corrupts a list of its own when bluetoothd closes the channel
    /// that it could not encrypt: `kernel BUG at lib/list_debug.c`.
    @Test(arguments: Setting.all.filter { $0.release != .bookworm })
    func whomWeForgotHasToPairAgain(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "bond lost by us") { bluez in
            try await bluez.powerOn()
            _ = try await bond(Self.plan(storing: nil), near: bluez)
            try await withStall(near: bluez, Self.plan(storing: nil)) { stall in
                let link = try await stall.meetOnly()
                // BlueZ tries to encrypt with its key, learns that our host has none, and
                // disconnects.
                try await stall.keeper.farewell(of: link)
                #expect(stall.person.experiences == [])
                #expect(await stall.host.bonds.isEmpty)
                // In this state BlueZ 5.82 ignores a request to remove the device.
                try await bluez.restartDaemon(forgets: true)
                try await bluez.powerOn()
                let (visitor, _) = try await stall.arrive()
                try await stall.pair()
                #expect(try await visitor.read(Stall.secret) == Stall.treasure)
            }
        }
    }

    /// BlueZ has lost its keys, every request of it is refused, and it pairs because of that. The
    /// user on our side decides whether to accept the new pairing: another device may use BlueZ's
    /// address.
    @Test(arguments: Setting.all)
    func whoForgotUsMayPairIfThePersonAgrees(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "bond lost by BlueZ") { bluez in
            var plan = Self.plan(storing: MemoryStore())
            plan.configuration.bondLossPolicy = .ask
            try await bluez.powerOn()
            let before = try await bond(plan, near: bluez)
            try await bluez.forget(bluez.path(of: Stall.address))
            try await withStall(near: bluez, plan) { stall in
                try await expectDistrust(of: before, at: stall)
            }
            try await withStall(near: bluez, plan) { stall in
                try await expectTrust(at: stall)
                // The bond is for the same peer, with new keys and no weaker.
                #expect(await stall.host.bonds.map(Essence.init) == before.map(Essence.init))
            }
        }
    }

    // MARK: Helpers

    private static func plan(storing store: MemoryStore?) -> StallPlan {
        .such { plan in
            plan.services = [Stall.guarded]
            plan.configuration.store = store
        }
    }

    /// Connects for the first time, and pairs. Returns our host's bonds afterwards.
    private func bond(_ plan: StallPlan, near bluez: BlueZ) async throws -> [BondedPeer] {
        try await withStall(near: bluez, plan) { stall in
            let (_, link) = try await stall.arrive()
            try await stall.pair()
            let bonds = await stall.host.bonds
            try await stall.part(link)
            return bonds
        }
    }

    /// Our user declines the new pairing, and our host keeps the keys that it has.
    private func expectDistrust(of bonds: [BondedPeer], at stall: StallVisit) async throws {
        var manner = Person.Manner()
        manner.pairsAgain = false
        stall.person.behave(manner)
        _ = try await stall.bluez.findStall()
        let link = try await stall.meetOnly()
        try await stall.keeper.farewell(of: link)
        #expect(stall.person.experiences == [.askedAgain])
        #expect(await stall.host.bonds.map(Essence.init) == bonds.map(Essence.init))
        try await stall.visitor.forget()
    }

    /// Our user accepts the new pairing. BlueZ may lose the request for which it paired; it
    /// connects again with its new keys.
    private func expectTrust(at stall: StallVisit) async throws {
        let events = await stall.host.securityEvents()
        _ = try await stall.bluez.findStall()
        let link = try await stall.meetOnly()
        try await StallVisit.keys(in: events)
        #expect(stall.person.experiences.first == .askedAgain)
        try? await link.disconnect()
        try await stall.keeper.farewell(of: link)
        try await stall.bluez.isAlone()
        let again = try await stall.comeBack()
        #expect(try await stall.visitor.read(Stall.secret) == Stall.treasure)
        #expect(try await again.security.isBonded)
    }

    private func expectRecognition(of bonds: [BondedPeer], at stall: StallVisit) async throws {
        #expect(await stall.host.bonds == bonds)
        let link = try await stall.comeBack()
        #expect(try await stall.visitor.read(Stall.secret) == Stall.treasure)
        #expect(try await link.security == bonds.first?.security)
        #expect(try await link.bondedPeer == bonds.first)
        #expect(stall.person.experiences == [])
    }

    /// What must not change in a bond. The name may be stored later than the keys.
    private struct Essence: Equatable {
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

    private func expectSubscriptionIsKept(at stall: StallVisit) async throws {
        let handle = try stall.handle(Stall.secret)
        let link = try #require(await stall.host.subscribers(of: handle).first)
        let path = try await stall.visitor.subscribe(to: Stall.secret)
        try await link.notify([8], of: handle)
        try await stall.visitor.value([8], by: path)
    }
}
