// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import StoreTestSupport
import Testing

@testable import BluetoothHost

@Suite("Bonds in the store")
struct BondStories {
    private static func bench(
        _ store: [StoreKey: [UInt8]] = [:],
        peers: [ModelPeer] = []
    ) -> Bench {
        var bench = Bench(peers: peers) { $0.store = MemoryStore() }
        bench.store = store
        bench.openStore()
        bench.open()
        bench.drive()
        return bench
    }

    private static func key(_ number: Int) -> StoreKey {
        RecordName.bond(SampleBonds.peer(number)).key
    }

    @Test("A bond is saved before any other action and survives a restart")
    func restart() throws {
        var bench = Self.bench()
        let isKept = bench.core.keepBond(SampleBonds.bond(1), now: bench.now)
        #expect(isKept)
        var actions: [HostAction] = []
        bench.core.takeActions(into: &actions)
        guard case .save(let bytes, Self.key(1))? = actions.first else {
            return #expect(Bool(false), "\(actions)")
        }
        let next = Self.bench([Self.key(1): bytes])
        #expect(next.core.bonds == [SampleBonds.bond(1)])
        #expect(next.securityEvents.isEmpty)
    }

    @Test("A bond that is replaced keeps its identifier and its name")
    func anew() throws {
        var bench = Self.bench()
        bench.core.keepBond(SampleBonds.bond(1), now: bench.now)
        bench.core.keepBond(SampleBonds.bond(2), now: bench.now)
        var bond = SampleBonds.bond(1, generation: 2)
        bond.identifier = SampleBonds.bond(7).identifier
        bond.name = nil
        bench.core.keepBond(bond, now: bench.now)
        bench.performActions()
        let kept = try #require(bench.core.bonds.last)
        #expect(kept.identifier == SampleBonds.bond(1).identifier)
        #expect(kept.name == SampleBonds.bond(1).name && kept.peerKey == bond.peerKey)
        #expect(bench.core.bonds.count == 2)
        var named = SampleBonds.bond(2)
        named.name = "Kitchen"
        bench.core.keepBond(named, now: bench.now)
        bench.performActions()
        #expect(bench.core.bonds.map(\.name) == ["Kitchen", kept.name], "a name is no new bond")
        let next = Self.bench(bench.store)
        #expect(Set(next.core.bonds) == Set(bench.core.bonds))
    }

    @Test("A bond beyond the limit replaces the one that was not used for the longest time")
    func limit() throws {
        var bench = Self.bench()
        for number in 0...HostCore.bondLimit {
            let isKept = bench.core.keepBond(SampleBonds.bond(number), now: bench.now)
            #expect(isKept)
        }
        bench.performActions()
        #expect(bench.core.bonds.count == HostCore.bondLimit)
        #expect(
            bench.store.keys.filter { RecordName($0)?.kind == .bond }.count == HostCore.bondLimit
        )
        #expect(bench.store[Self.key(0)] == nil && bench.store[Self.key(1)] != nil)
        let removed = bench.securityEvents.compactMap { event -> DeviceAddress? in
            guard case .bondRemoved(let peer) = event else { return nil }
            return peer.identity
        }
        #expect(removed == [SampleBonds.peer(0)])
        let first = try #require(bench.saves.first { $0 == Self.key(HostCore.bondLimit) })
        #expect(first == Self.key(HostCore.bondLimit))
        #expect(Self.bench(bench.store).core.bonds.count == HostCore.bondLimit)
    }

    @Test("A connected peer keeps its bond, and if all are connected, a new bond is refused")
    func connectedPeers() throws {
        let peers = (0..<3).map { ModelPeer($0) }
        var bench = Self.bench(peers: peers)
        func bond(_ peer: DeviceAddress) -> Bond {
            var bond = SampleBonds.bond(0)
            bond.peer = peer
            return bond
        }
        bench.core.keepBond(bond(peers[0].address), now: bench.now)
        for number in 10..<(9 + HostCore.bondLimit) {
            bench.core.keepBond(SampleBonds.bond(number), now: bench.now)
        }
        // The link exists but the peer is not authenticated, so that its bond is still the oldest.
        bench.controller.endlessCommands = [.leEnableEncryption]
        _ = bench.dial(peers[0].address)
        bench.drive()
        bench.core.keepBond(SampleBonds.bond(5_000), now: bench.now)
        bench.performActions()
        #expect(bench.core.bonds.first?.peer == peers[0].address)
        #expect(bench.store[Self.key(10)] == nil)
        // As if all of them were.
        bench.core.context.bonds.removeAll { $0.peer != peers[0].address }
        let copies = [Bond](repeating: bench.core.bonds[0], count: HostCore.bondLimit)
        bench.core.context.bonds = copies
        let isKept = bench.core.keepBond(SampleBonds.bond(6_000), now: bench.now)
        #expect(!isKept && bench.core.bonds == copies)
        #expect(bench.core.isDrained, "nothing is saved")
    }

    @Test("A bond beyond the limit is removed at the start after a crash")
    func oneTooMany() throws {
        var store: [StoreKey: [UInt8]] = [:]
        for number in 0...HostCore.bondLimit {
            let bytes = SampleBonds.bond(number).encode(localIdentity: SampleBonds.identity)
            store[Self.key(number)] = bytes
        }
        // The first peer was used last.
        let order = (1...HostCore.bondLimit).map(SampleBonds.peer) + [SampleBonds.peer(0)]
        store[RecordName.order.key] = MeetingOrder(order).encode()
        let bench = Self.bench(store)
        #expect(bench.core.bonds.map(\.peer) == Array(order.dropFirst()))
        #expect(bench.store[Self.key(1)] == nil && bench.store[Self.key(0)] != nil)
    }

    @Test("A bond of another identity is unused, and set aside when the peer is bonded again")
    func otherIdentity() throws {
        var foreign = SampleBonds.bond(1)
        foreign.localIdentity = SampleBonds.peer(9)
        let bytes = foreign.encode(localIdentity: SampleBonds.identity)
        var bench = Self.bench([Self.key(1): bytes])
        #expect(bench.core.bonds.isEmpty && bench.store[Self.key(1)] == bytes)
        guard case .leftAlone(let entry, let reason)? = bench.securityEvents.first else {
            return #expect(Bool(false), "\(bench.securityEvents)")
        }
        #expect(entry == Self.key(1).description && reason.contains("\(SampleBonds.peer(9))"))
        bench.core.dropBond(of: foreign.peer, now: bench.now)
        bench.performActions()
        #expect(bench.store[Self.key(1)] == bytes)
        bench.core.keepBond(SampleBonds.bond(1), now: bench.now)
        bench.performActions()
        #expect(bench.setAside == [Self.key(1)])
        #expect(bench.store[Self.key(1)] != bytes)
    }

    @Test("Torn bonds are set aside and reported, and all others are used")
    func torn() throws {
        let good = SampleBonds.bond(1).encode(localIdentity: SampleBonds.identity)
        let bad = SampleBonds.bond(2).encode(localIdentity: SampleBonds.identity)
        let bench = Self.bench([
            Self.key(1): good, Self.key(2): Array(bad.dropLast(9)), Self.key(3): [],
            RecordName.order.key: Array("order".utf8),
            RecordName.counter(SampleBonds.peer(1)).key: good,
        ])
        #expect(bench.core.bonds == [SampleBonds.bond(1)])
        #expect(bench.setAside.count == 4 && !bench.setAside.contains(Self.key(1)))
        #expect(bench.securityEvents.count == 4)
    }

    @Test("Bonds that cannot be read are left unchanged")
    func unreadable() throws {
        var bench = Bench { $0.store = MemoryStore() }
        let fault = StoreFault(TransportError.injected("bad sector"))
        bench.core.storeOpened(
            [StoreEntry(key: Self.key(1), contents: .failure(fault))],
            now: .zero
        )
        bench.performActions()
        guard case .leftAlone(_, let reason)? = bench.securityEvents.first else {
            return #expect(Bool(false), "\(bench.securityEvents)")
        }
        #expect(reason.contains("bad sector") && bench.setAside.isEmpty)
    }

    @Test("Bonds that do not fit into the store are used and reported, and saved later")
    func fullDisk() throws {
        var bench = Self.bench()
        bench.isStoreFull = true
        bench.core.keepBond(SampleBonds.bond(1), now: bench.now)
        bench.performActions()
        #expect(bench.core.bonds.count == 1)
        guard case .storeFailed(let text)? = bench.securityEvents.first else {
            return #expect(Bool(false), "\(bench.securityEvents)")
        }
        #expect(text.contains("disk full"))
        bench.advance(by: .seconds(300))
        #expect((2...11).contains(bench.securityEvents.count), "it is tried now and then")
        bench.isStoreFull = false
        bench.advance(by: .seconds(31))
        #expect(bench.store[Self.key(1)] != nil)
        #expect(bench.core.nextDeadline == nil)
    }

    @Test("Removing a bond removes all records of its peer, and the bond last")
    func removal() throws {
        var bench = Self.bench()
        bench.core.keepBond(SampleBonds.bond(1), now: bench.now)
        #expect(bench.core.takeSignCounter(for: SampleBonds.peer(1)) == 0)
        bench.performActions()
        #expect(bench.store.count == 2)
        bench.core.dropBond(of: SampleBonds.peer(1), now: bench.now)
        var actions: [HostAction] = []
        bench.core.takeActions(into: &actions)
        let removed = actions.compactMap { action -> StoreKey? in
            guard case .remove(let key) = action else { return nil }
            return key
        }
        #expect(removed.count == 4 && removed.last == Self.key(1))
        #expect(bench.core.takeSignCounter(for: SampleBonds.peer(1)) == nil)
    }

    @Test("Sign counters continue after a crash and restart with a new key")
    func counters() throws {
        var bench = Self.bench()
        bench.core.keepBond(SampleBonds.bond(1), now: bench.now)
        for expected in UInt32(0)..<300 {
            #expect(bench.core.takeSignCounter(for: SampleBonds.peer(1)) == expected)
        }
        bench.performActions()
        let counterKey = RecordName.counter(SampleBonds.peer(1)).key
        #expect(bench.saves.filter { $0 == counterKey }.count == 2)
        var next = Self.bench(bench.store)
        let counter = next.core.takeSignCounter(for: SampleBonds.peer(1))
        #expect(counter == 512, "what was reserved and not used is left out")
        next.performActions()
        var rekeyed = SampleBonds.bond(1)
        rekeyed.localSigningKey = SampleBonds.resolvingKey
        next.core.keepBond(rekeyed, now: next.now)
        next.performActions()
        #expect(next.store[counterKey] == nil)
        #expect(next.core.takeSignCounter(for: SampleBonds.peer(1)) == 0)
        var unsigned = rekeyed
        unsigned.localSigningKey = nil
        next.core.keepBond(unsigned, now: next.now)
        #expect(next.core.takeSignCounter(for: SampleBonds.peer(1)) == nil)
    }
}
