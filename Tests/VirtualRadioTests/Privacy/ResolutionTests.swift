// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// Resolution of addresses by a controller (Vol 6, Part B, 6.2 to 6.5).
@Suite struct ResolutionTests {
    let world = World(seed: 1)

    @Test("A private address is resolved to its identity")
    func resolves() throws {
        let host = try TestHost(world)
        let peers = try (1...5).map { try PrivatePeer($0) }
        for peer in peers { try host.perform(peer.adding) }
        try host.setResolution(true)
        var list = host.controller.resolvingList
        for peer in peers {
            for seed in 1...3 {
                let address = try peer.makeAddress(seed: UInt64(seed))
                #expect(list.resolve(address) == .identity(peer.identity))
                // The second result comes from the cache and must be the same.
                #expect(list.resolve(address) == .identity(peer.identity))
            }
        }
    }

    @Test("Nothing is resolved while resolution is off")
    func off() throws {
        let (host, peer) = try makeHost()
        try host.setResolution(false)
        var list = host.controller.resolvingList
        #expect(list.resolve(try peer.makeAddress()) == .unresolved)
        #expect(list.resolve(peer.identity) == .unresolved)
    }

    @Test("Unknown addresses of every kind are not resolved")
    func unknownPeers() throws {
        let (host, _) = try makeHost()
        var list = host.controller.resolvingList
        let unknownPeer = try PrivatePeer(9)
        #expect(list.resolve(try unknownPeer.makeAddress()) == .unresolved)
        #expect(list.resolve(unknownPeer.identity) == .unresolved)
        for top in UInt64(0)..<4 {
            let address = DeviceAddress(value: top << 46 | 0x1234_5678, kind: .random)
            #expect(list.resolve(address) == .unresolved)
            #expect(list.resolve(DeviceAddress(value: address.value, kind: .public)) == .unresolved)
        }
    }

    @Test("In network privacy mode, the default, a peer must not use its identity address")
    func networkPrivacy() throws {
        let (host, peer) = try makeHost()
        var list = host.controller.resolvingList
        #expect(list.resolve(peer.identity) == .refused)
        #expect(list.resolve(try peer.makeAddress()) == .identity(peer.identity))
    }

    @Test("In device privacy mode, a peer may use its identity address")
    func devicePrivacy() throws {
        let (host, peer) = try makeHost()
        try host.setMode(.device, peer)
        var list = host.controller.resolvingList
        #expect(list.resolve(peer.identity) == .unresolved)
        #expect(list.resolve(try peer.makeAddress()) == .identity(peer.identity))
        try host.setMode(.network, peer)
        list = host.controller.resolvingList
        #expect(list.resolve(peer.identity) == .refused)
    }

    @Test("A peer without a key may use its identity address in network privacy mode")
    func zeroKey() throws {
        let host = try TestHost(world)
        let peer = try PrivatePeer(1, peerKey: 0)
        try host.perform(peer.adding)
        try host.setResolution(true)
        var list = host.controller.resolvingList
        #expect(list.resolve(peer.identity) == .unresolved)
    }

    @Test("A change of the list clears the cache")
    func forgetsWithTheList() throws {
        let (host, peer) = try makeHost()
        let address = try peer.makeAddress()
        let later = try PrivatePeer(2)
        let laterAddress = try later.makeAddress()
        var list = host.controller.resolvingList
        #expect(list.resolve(address) == .identity(peer.identity))
        #expect(list.resolve(laterAddress) == .unresolved)
        try host.perform(later.adding)
        list = host.controller.resolvingList
        #expect(list.resolve(laterAddress) == .identity(later.identity))
        try host.perform(peer.removing)
        list = host.controller.resolvingList
        #expect(list.resolve(address) == .unresolved)
        #expect(list.resolve(laterAddress) == .identity(later.identity))
        try host.perform(HCI.LEClearResolvingList())
        list = host.controller.resolvingList
        #expect(list.resolve(laterAddress) == .unresolved)
    }

    @Test("More addresses than the cache holds are resolved")
    func manyAddresses() throws {
        let (host, peer) = try makeHost()
        var list = host.controller.resolvingList
        var generator = WorldSeed(2).stream("many")
        let key = IdentityResolvingKey(peer.peerKey)
        let knownPeers = try (0..<20).map { _ in try #require(key.makeAddress(using: &generator)) }
        for round in 0..<3 {
            for knownPeer in knownPeers {
                #expect(list.resolve(knownPeer) == .identity(peer.identity))
            }
            for number in UInt64(0)..<3_000 {
                let unknownPeer = 0x4000_0000_0000 | UInt64(round) << 24 | number
                _ = list.resolve(DeviceAddress(value: unknownPeer, kind: .random))
            }
        }
    }

    @Test("The controller recognizes private addresses of its keys, even if it did not make them")
    func ownAddresses() throws {
        let (host, peer) = try makeHost()
        let other = try PrivatePeer(2, localKey: 0xB0)
        try host.perform(other.adding)
        let list = host.controller.resolvingList
        #expect(list.ownEntry(try host.localAddress(peer)) == peer.identity)
        #expect(list.ownEntry(try host.localAddress(other)) == other.identity)
        var generator = WorldSeed(8).stream("elsewhere")
        let made = IdentityResolvingKey(other.localKey).makeAddress(using: &generator)
        #expect(list.ownEntry(try #require(made)) == other.identity)
        #expect(list.ownEntry(try peer.makeAddress()) == nil)
        #expect(list.ownEntry(peer.identity) == nil)
        try host.setResolution(false)
        #expect(host.controller.resolvingList.ownEntry(try #require(made)) == nil)
    }

    private func makeHost() throws -> (TestHost, PrivatePeer) {
        let host = try TestHost(world)
        let peer = try PrivatePeer(1)
        try host.perform(peer.adding)
        try host.setResolution(true)
        return (host, peer)
    }
}

extension TestHost {
    /// Sets the privacy mode, which decides whether the peer may use its identity address.
    func setMode(_ mode: HCI.PrivacyMode, _ peer: PrivatePeer) throws {
        let identity = HCI.PeerAddress(peer.identity)
        try perform(HCI.LESetPrivacyMode(peerIdentity: identity, mode: mode))
    }
}
