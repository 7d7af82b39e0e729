// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import StoreTestSupport
import Testing

@testable import BluetoothHost

@Suite("Identifiers of peers")
struct PeerCipherTests {
    private static func cipher(_ seed: UInt64) -> PeerCipher {
        var generator = SplitMix64(seed: seed)
        return PeerCipher(secret: HCI.Key128(using: &generator))
    }

    private static func address(
        _ generator: inout SplitMix64
    ) -> DeviceAddress {
        DeviceAddress(
            value: generator.next() & 0xFFFF_FFFF_FFFF,
            kind: generator.happens(oneIn: 2) ? .public : .random
        )
    }

    @Test("Each of 20,000 addresses has its own identifier, which gives the address again")
    func bijection() {
        let cipher = Self.cipher(1)
        var generator = SplitMix64(seed: 2)
        var addresses: Set<DeviceAddress> = []
        while addresses.count < 20_000 { addresses.insert(Self.address(&generator)) }
        var identifiers: Set<PeerIdentifier> = []
        var failures = 0
        for address in addresses {
            let identifier = cipher.identifier(of: address)
            identifiers.insert(identifier)
            let isUUID =
                identifier.bytes[6] & 0xF0 == 0x40 && identifier.bytes[8] & 0xC0 == 0x80
            if !isUUID || cipher.address(of: identifier) != address { failures += 1 }
        }
        #expect(failures == 0)
        #expect(identifiers.count == addresses.count)
    }

    @Test("The same secret gives the same identifiers, and another secret gives other identifiers")
    func secrets() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<1_000 {
            let address = Self.address(&generator)
            let identifier = Self.cipher(1).identifier(of: address)
            #expect(Self.cipher(1).identifier(of: address) == identifier)
            #expect(Self.cipher(2).identifier(of: address) != identifier)
            #expect(Self.cipher(2).address(of: identifier) == nil)
        }
    }

    @Test("The identifiers of similar addresses differ in half of their bits on average")
    func opaque() {
        let cipher = Self.cipher(4)
        var generator = SplitMix64(seed: 5)
        var differences = 0
        for _ in 0..<1_000 {
            let address = Self.address(&generator)
            let neighbor = DeviceAddress(value: address.value ^ 1, kind: address.kind)
            let pair = (cipher.identifier(of: address), cipher.identifier(of: neighbor))
            differences += zip(pair.0.bytes, pair.1.bytes)
                .reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
        }
        // Two identifiers differ in 61 of 122 bits on average. The standard deviation of the sum
        // is 175.
        #expect((60_000...62_000).contains(differences), "\(differences)")
    }

    @Test("An identifier of another origin has no address")
    func garbage() {
        let cipher = Self.cipher(6)
        var generator = SplitMix64(seed: 7)
        for _ in 0..<5_000 {
            #expect(cipher.address(of: PeerIdentifier(bytes: generator.bytes(16))) == nil)
            #expect(cipher.address(of: PeerIdentifier(using: &generator)) == nil)
        }
        let known = cipher.identifier(of: Self.address(&generator)).bytes
        for bit in 0..<128 {
            var changed = known
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(cipher.address(of: PeerIdentifier(bytes: changed)) == nil, "bit \(bit)")
        }
    }

    @Test("A peer keeps its identifier after a restart with the same store")
    func restart() async {
        let store = MemoryStore()
        var configuration = HostConfiguration()
        configuration.store = store
        let peer = SampleBonds.peer(1)
        let first = BluetoothHost(transport: ScriptedTransport(), configuration: configuration)
        let known = await first.identifier(of: peer)
        #expect(known == first.peerCipher.identifier(of: peer))
        await first.shutdown()
        let second = BluetoothHost(transport: ScriptedTransport(), configuration: configuration)
        #expect(await second.identifier(of: peer) == known)
        #expect(await second.address(of: known) == peer)
        await second.shutdown()
        let otherHost = BluetoothHost(transport: ScriptedTransport())
        #expect(await otherHost.identifier(of: peer) != known)
        #expect(await otherHost.address(of: known) == nil)
        await otherHost.shutdown()
    }

    @Test("A bonded peer has the identifier of its bond")
    func bonded() async {
        let host = BluetoothHost(transport: ScriptedTransport())
        let bond = SampleBonds.bond(1)
        let identifierBeforeBond = await host.identifier(of: bond.peer)
        await host.addBond(bond)
        #expect(await host.identifier(of: bond.peer) == bond.identifier)
        #expect(await host.address(of: bond.identifier) == bond.peer)
        #expect(
            await host.address(of: identifierBeforeBond) == bond.peer,
            "The identifier from before the bond still leads to the peer"
        )
        await host.removeBond(with: bond.peer)
        #expect(await host.identifier(of: bond.peer) == identifierBeforeBond)
        #expect(await host.address(of: bond.identifier) == nil)
        await host.shutdown()
    }
}
