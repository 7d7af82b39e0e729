// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// The generation and replacement of private addresses (Vol 6, Part B, 6.1).
@Suite struct AddressReplacementTests {
    let world = World(seed: 1)

    @Test("While resolution is off, private addresses exist and are replaced")
    func whileOff() throws {
        let (host, peer) = try makeHost()
        let first = try host.localAddress(peer)
        #expect(IdentityResolvingKey(peer.localKey).resolves(first))
        #expect(IdentityResolvingKey(peer.peerKey).resolves(try host.peerAddress(peer)))
        world.run(for: .seconds(900))
        #expect(try host.localAddress(peer) != first)
        try host.setResolution(true)
        let enabled = try host.localAddress(peer)
        try host.setResolution(false)
        #expect(try host.localAddress(peer) == enabled)
    }

    @Test("Each address is made with its key")
    func resolve() throws {
        let (host, peer) = try makeHost()
        try host.setResolution(true)
        #expect(IdentityResolvingKey(peer.localKey).resolves(try host.localAddress(peer)))
        #expect(IdentityResolvingKey(peer.peerKey).resolves(try host.peerAddress(peer)))
    }

    @Test("Every entry has its own address, even with the same local key")
    func differ() throws {
        let (host, peer) = try makeHost()
        let other = try PrivatePeer(2)
        try host.perform(other.adding)
        try host.setResolution(true)
        #expect(try host.localAddress(peer) != host.localAddress(other))
    }

    @Test("An entry that is added later has addresses at once")
    func addedWhileOn() throws {
        let (host, peer) = try makeHost()
        try host.setResolution(true)
        let first = try host.localAddress(peer)
        let other = try PrivatePeer(2)
        try host.perform(other.adding)
        #expect(IdentityResolvingKey(other.localKey).resolves(try host.localAddress(other)))
        #expect(try host.localAddress(peer) == first)
    }

    @Test("An entry without keys has no private addresses")
    func zeroKeys() throws {
        let (host, _) = try makeHost()
        let nameless = try PrivatePeer(2, peerKey: 0, localKey: 0)
        try host.perform(nameless.adding)
        try host.setResolution(true)
        #expect(throws: HCI.ErrorCode.unknownConnectionIdentifier) {
            try host.localAddress(nameless)
        }
        #expect(throws: HCI.ErrorCode.unknownConnectionIdentifier) {
            try host.peerAddress(nameless)
        }
        #expect(host.controller.resolvingList.localAddress(toward: nameless.identity) == nil)
        #expect(host.controller.resolvingList.peerAddress(of: nameless.identity) == nil)
    }

    @Test("Addresses are replaced exactly after the host's timeout", arguments: [1, 900, 3600])
    func replacedInTime(_ seconds: UInt16) throws {
        let (host, peer) = try makeHost()
        if seconds != 900 { try host.setTimeout(seconds) }
        world.run(for: .milliseconds(1500))
        try host.setResolution(true)
        var addresses = [try host.localAddress(peer)]
        for _ in 0..<3 {
            world.run(for: .seconds(seconds) - .nanoseconds(1))
            #expect(try host.localAddress(peer) == addresses.last)
            world.run(for: .nanoseconds(1))
            addresses.append(try host.localAddress(peer))
        }
        #expect(Set(addresses).count == 4)
    }

    @Test("Enabling resolution again keeps the addresses, and disabling it first replaces them")
    func enabledTwice() throws {
        let (host, peer) = try makeHost()
        try host.setResolution(true)
        let first = try host.localAddress(peer)
        world.run(for: .seconds(600))
        try host.setResolution(true)
        #expect(try host.localAddress(peer) == first)
        world.run(for: .seconds(300))
        let second = try host.localAddress(peer)
        #expect(second != first)
        try host.setResolution(false)
        try host.setResolution(true)
        #expect(try host.localAddress(peer) != second)
    }

    @Test("A shorter timeout counts from the generation of the addresses")
    func shortened() throws {
        let (host, peer) = try makeHost()
        try host.setResolution(true)
        let first = try host.localAddress(peer)
        world.run(for: .seconds(10))
        try host.setTimeout(12)
        world.run(for: .seconds(2) - .nanoseconds(1))
        #expect(try host.localAddress(peer) == first)
        world.run(for: .nanoseconds(1))
        #expect(try host.localAddress(peer) != first)
    }

    @Test("A timeout that has already passed replaces the addresses at once")
    func shortenedToPast() throws {
        let (host, peer) = try makeHost()
        try host.setResolution(true)
        let first = try host.localAddress(peer)
        world.run(for: .seconds(100))
        try host.setTimeout(5)
        world.run(for: .zero)
        let second = try host.localAddress(peer)
        #expect(second != first)
        world.run(for: .seconds(5) - .nanoseconds(1))
        #expect(try host.localAddress(peer) == second)
    }

    @Test("A longer timeout also counts from the generation of the addresses")
    func lengthened() throws {
        let (host, peer) = try makeHost()
        try host.setResolution(true)
        let first = try host.localAddress(peer)
        world.run(for: .seconds(800))
        try host.setTimeout(1000)
        world.run(for: .seconds(200) - .nanoseconds(1))
        #expect(try host.localAddress(peer) == first)
        world.run(for: .nanoseconds(1))
        #expect(try host.localAddress(peer) != first)
    }

    @Test("A list without entries has no deadline")
    func idle() throws {
        let (host, peer) = try makeHost()
        #expect(world.nextInstant == .zero + .seconds(900))
        try host.setResolution(true)
        #expect(world.nextInstant == .zero + .seconds(900))
        try host.perform(peer.removing)
        #expect(world.nextInstant == nil)
        world.run(for: .seconds(2000))
        try host.perform(peer.adding)
        #expect(world.nextInstant == world.now + .seconds(900))
        try host.setResolution(false)
        #expect(world.nextInstant == world.now + .seconds(900))
    }

    @Test("Replacement continues while a scan locks the list")
    func goesOnWhileScanning() throws {
        let (host, peer) = try makeHost()
        try host.setTimeout(1)
        try host.setResolution(true)
        try host.scan(policy: .unfiltered)
        let first = try host.localAddress(peer)
        world.run(for: .seconds(1))
        #expect(try host.localAddress(peer) != first)
    }

    @Test("The same seed makes the same addresses")
    func followsFromSeed() throws {
        let addresses = try [UInt64(3), 3, 4].map { seed in
            let host = try TestHost(World(seed: seed))
            let peer = try PrivatePeer(1)
            try host.perform(peer.adding)
            try host.setResolution(true)
            host.world.run(for: .seconds(2000))
            return try host.localAddress(peer)
        }
        #expect(addresses[0] == addresses[1])
        #expect(addresses[0] != addresses[2])
    }

    private func makeHost() throws -> (TestHost, PrivatePeer) {
        let host = try TestHost(world)
        let peer = try PrivatePeer(1)
        try host.perform(peer.adding)
        return (host, peer)
    }
}

extension TestHost {
    /// Sets the timeout of private addresses in seconds.
    func setTimeout(_ seconds: UInt16) throws {
        try perform(
            HCI.LESetResolvablePrivateAddressTimeout(timeout: .init(rawValue: seconds))
        )
    }
}
