// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP

@Suite("The resolution of private addresses")
struct AddressResolverTests {
    private static func identity(_ number: Int) -> DeviceAddress {
        DeviceAddress(value: 0xC0FF_EE00_0000 + UInt64(number), kind: .random)
    }

    private static func key(_ number: Int) throws -> HCI.Key128 {
        try #require(HCI.Key128((0..<16).map { UInt8(truncatingIfNeeded: number * 7 + $0 + 1) }))
    }

    private static func peers(_ count: Int) throws -> [AddressResolver.Peer] {
        try (0..<count).map { .init(identity: identity($0), key: try key($0)) }
    }

    @Test("The address of the sample data is generated and resolved (Vol 3, Part H, D.7)")
    func sample() throws {
        let bytes = try #require([UInt8](hexadecimal: "ec0234a357c8ad05341010a60a397d9b"))
        let bits = try #require(HCI.Key128(bytes.reversed()))
        let key = try #require(ResolvingKey(bits))
        #expect(key.resolves(DeviceAddress(value: 0x7081_940D_FBAA, kind: .random)))
        #expect(!key.resolves(DeviceAddress(value: 0x7081_940D_FBAB, kind: .random)))
        #expect(!key.resolves(DeviceAddress(value: 0x7081_940D_FBAA, kind: .public)))
    }

    @Test("Generated private addresses differ and resolve with their key")
    func making() throws {
        let key = try #require(ResolvingKey(try Self.key(1)))
        let other = try #require(ResolvingKey(try Self.key(2)))
        var generator = SplitMix64(seed: 1)
        var made: Set<DeviceAddress> = []
        for _ in 0..<200 {
            let address = try #require(key.makeAddress(using: &generator))
            #expect(address.randomKind == .resolvablePrivate)
            #expect(key.resolves(address) && !other.resolves(address))
            made.insert(address)
        }
        #expect(made.count == 200)
    }

    @Test("A key of zeros counts as no key")
    func zeroKey() throws {
        let zero = try #require(HCI.Key128([UInt8](repeating: 0, count: 16)))
        #expect(ResolvingKey(zero) == nil)
        var resolver = AddressResolver()
        resolver.setPeers([.init(identity: Self.identity(1), key: zero)])
        #expect(resolver.resolve(DeviceAddress(value: 0x4000_0000_0001, kind: .random)) == nil)
    }

    @Test("Another fixed address of a peer is resolved, with any key, until the peers change")
    func otherAddress() throws {
        let zero = try #require(HCI.Key128([UInt8](repeating: 0, count: 16)))
        for key in [zero, try Self.key(1)] {
            var resolver = AddressResolver()
            let (identity, other) = (Self.identity(1), Self.identity(2))
            resolver.setPeers([.init(identity: identity, key: key, otherAddress: other)])
            #expect(resolver.resolve(other) == identity && resolver.resolve(identity) == nil)
            #expect(resolver.knows(identity) && resolver.knowsOtherAddress(of: identity))
            resolver.setPeers([.init(identity: identity, key: key)])
            #expect(resolver.resolve(other) == nil && !resolver.knowsOtherAddress(of: identity))
        }
    }

    @Test("Each of many peers is resolved and cached until the keys change")
    func manyPeers() throws {
        var generator = SplitMix64(seed: 2)
        let peers = try Self.peers(200)
        var resolver = AddressResolver()
        resolver.setPeers(peers)
        let addresses = try peers.map { peer in
            try #require(ResolvingKey(peer.key)?.makeAddress(using: &generator))
        }
        for _ in 0..<2 {
            for (peer, address) in zip(peers, addresses) {
                #expect(resolver.resolve(address) == peer.identity)
            }
        }
        #expect(resolver.cachedCount == 200)
        resolver.setPeers(Array(peers.dropFirst()))
        #expect(resolver.cachedCount == 0)
        #expect(resolver.resolve(addresses[0]) == nil)
        #expect(resolver.resolve(addresses[1]) == peers[1].identity)
    }

    @Test("Addresses that are not resolvable private addresses are not resolved")
    func otherAddresses() throws {
        var resolver = AddressResolver()
        resolver.setPeers(try Self.peers(1))
        #expect(resolver.resolve(Self.identity(0)) == nil)
        #expect(resolver.resolve(DeviceAddress(value: 0x7081_940D_FBAA, kind: .public)) == nil)
        #expect(resolver.resolve(DeviceAddress(value: 0x0081_940D_FBAA, kind: .random)) == nil)
        #expect(resolver.cachedCount == 0)
    }

    @Test("Addresses of unknown peers are cached too, and the size of the cache is limited")
    func bounds() throws {
        var generator = SplitMix64(seed: 3)
        var resolver = AddressResolver()
        resolver.setPeers(try Self.peers(1))
        for _ in 0..<3 * AddressResolver.generationLimit {
            let bits = UInt64.random(in: 0...0x3FFF_FFFF_FFFF, using: &generator)
            _ = resolver.resolve(DeviceAddress(value: 0b01 << 46 | bits, kind: .random))
        }
        #expect(resolver.cachedCount <= 2 * AddressResolver.generationLimit)
        #expect(resolver.cachedCount > AddressResolver.generationLimit)
    }
}
