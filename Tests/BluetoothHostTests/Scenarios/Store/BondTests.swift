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
struct BondTests {
    private static func harness(
        _ store: [StoreKey: [UInt8]] = [:],
        peers: [ModelPeer] = []
    ) -> Harness {
        var harness = Harness(peers: peers) { $0.store = MemoryStore() }
        harness.store = store
        harness.openStore()
        harness.open()
        harness.drive()
        return harness
    }

    private static func key(_ number: Int) -> StoreKey {
        RecordName.bond(SampleBonds.peer(number)).key
    }

    @Test("A bond is saved before any other action and survives a restart")
    func restart() throws {
        var harness = Self.harness()
        let isKept = harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        #expect(isKept)
        var actions: [HostAction] = []
        harness.core.takeActions(into: &actions)
        guard case .save(let bytes, Self.key(1))? = actions.first else {
            return #expect(Bool(false), "\(actions)")
        }
        let next = Self.harness([Self.key(1): bytes])
        #expect(next.core.bonds == [SampleBonds.bond(1)])
        #expect(next.securityEvents.isEmpty)
    }

    @Test("A bond that is replaced keeps its identifier and its name")
    func anew() throws {
        var harness = Self.harness()
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        harness.core.keepBond(SampleBonds.bond(2), now: harness.now)
        var bond = SampleBonds.bond(1, generation: 2)
        bond.identifier = SampleBonds.bond(7).identifier
        bond.name = nil
        harness.core.keepBond(bond, now: harness.now)
        harness.performActions()
        let kept = try #require(harness.core.bonds.last)
        #expect(kept.identifier == SampleBonds.bond(1).identifier)
        #expect(kept.name == SampleBonds.bond(1).name && kept.peerKey == bond.peerKey)
        #expect(harness.core.bonds.count == 2)
        var named = SampleBonds.bond(2)
        named.name = "Kitchen"
        harness.core.keepBond(named, now: harness.now)
        harness.performActions()
        #expect(
            harness.core.bonds.map(\.name) == ["Kitchen", kept.name],
            "A new name does not create a bond"
        )
        let next = Self.harness(harness.store)
        #expect(Set(next.core.bonds) == Set(harness.core.bonds))
    }

    @Test("A bond beyond the limit replaces the least recently used bond")
    func limit() throws {
        var harness = Self.harness()
        for number in 0...HostCore.bondLimit {
            let isKept = harness.core.keepBond(SampleBonds.bond(number), now: harness.now)
            #expect(isKept)
        }
        harness.performActions()
        #expect(harness.core.bonds.count == HostCore.bondLimit)
        #expect(
            harness.store.keys.filter { RecordName($0)?.kind == .bond }.count == HostCore.bondLimit
        )
        #expect(harness.store[Self.key(0)] == nil && harness.store[Self.key(1)] != nil)
        let removed = harness.securityEvents.compactMap { event -> DeviceAddress? in
            guard case .bondRemoved(let peer) = event else { return nil }
            return peer.identity
        }
        #expect(removed == [SampleBonds.peer(0)])
        let first = try #require(harness.saves.first { $0 == Self.key(HostCore.bondLimit) })
        #expect(first == Self.key(HostCore.bondLimit))
        #expect(Self.harness(harness.store).core.bonds.count == HostCore.bondLimit)
    }

    @Test("A connected peer keeps its bond, and if all peers are connected, a new bond is refused")
    func connectedPeers() throws {
        let peers = (0..<3).map { ModelPeer($0) }
        var harness = Self.harness(peers: peers)
        func bond(_ peer: DeviceAddress) -> Bond {
            var bond = SampleBonds.bond(0)
            bond.peer = peer
            return bond
        }
        harness.core.keepBond(bond(peers[0].address), now: harness.now)
        for number in 10..<(9 + HostCore.bondLimit) {
            harness.core.keepBond(SampleBonds.bond(number), now: harness.now)
        }
        // The link exists, but the peer is not authenticated, so that its bond is still the oldest.
        harness.controller.endlessCommands = [.leEnableEncryption]
        _ = harness.requestConnection(peers[0].address)
        harness.drive()
        harness.core.keepBond(SampleBonds.bond(5_000), now: harness.now)
        harness.performActions()
        #expect(harness.core.bonds.first?.peer == peers[0].address)
        #expect(harness.store[Self.key(10)] == nil)
        // The remaining bonds all belong to the connected peer.
        harness.core.context.bonds.removeAll { $0.peer != peers[0].address }
        let copies = [Bond](repeating: harness.core.bonds[0], count: HostCore.bondLimit)
        harness.core.context.bonds = copies
        let isKept = harness.core.keepBond(SampleBonds.bond(6_000), now: harness.now)
        #expect(!isKept && harness.core.bonds == copies)
        #expect(harness.core.isDrained, "The host saves nothing")
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
        store[RecordName.order.key] = BondOrder(order).encode()
        let harness = Self.harness(store)
        #expect(harness.core.bonds.map(\.peer) == Array(order.dropFirst()))
        #expect(harness.store[Self.key(1)] == nil && harness.store[Self.key(0)] != nil)
    }

    @Test("A bond of another host identity is unused, and set aside when the peer bonds again")
    func otherIdentity() throws {
        var foreign = SampleBonds.bond(1)
        foreign.localIdentity = SampleBonds.peer(9)
        let bytes = foreign.encode(localIdentity: SampleBonds.identity)
        var harness = Self.harness([Self.key(1): bytes])
        #expect(harness.core.bonds.isEmpty && harness.store[Self.key(1)] == bytes)
        guard case .leftAlone(let entry, let reason)? = harness.securityEvents.first else {
            return #expect(Bool(false), "\(harness.securityEvents)")
        }
        #expect(entry == Self.key(1).description && reason.contains("\(SampleBonds.peer(9))"))
        harness.core.dropBond(of: foreign.peer, now: harness.now)
        harness.performActions()
        #expect(harness.store[Self.key(1)] == bytes)
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        harness.performActions()
        #expect(harness.setAside == [Self.key(1)])
        #expect(harness.store[Self.key(1)] != bytes)
    }

    @Test("An entry that cannot be set aside is not replaced, and the bond is saved later")
    func full() throws {
        var foreign = SampleBonds.bond(1)
        foreign.localIdentity = SampleBonds.peer(9)
        let bytes = foreign.encode(localIdentity: SampleBonds.identity)
        var harness = Self.harness([Self.key(1): bytes])
        harness.failsToSetAside = true
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        harness.performActions()
        #expect(harness.store[Self.key(1)] == bytes)
        guard case .storeFailed? = harness.securityEvents.last else {
            return #expect(Bool(false), "\(harness.securityEvents)")
        }
        harness.failsToSetAside = false
        harness.advance(by: .seconds(31))
        #expect(harness.setAside == [Self.key(1)])
        #expect(Self.harness(harness.store).core.bonds == [SampleBonds.bond(1)])
    }

    @Test("A bond is not replaced while the store cannot be listed")
    func unlisted() async throws {
        let bytes = SampleBonds.bond(1).encode(localIdentity: SampleBonds.identity)
        let memory = MemoryStore([Self.key(1): bytes])
        let harness = PortHarness { configuration in
            configuration.store = FailingStore(memory, toList: true)
            configuration.address = SampleBonds.identity
        }
        harness.on { host in
            host.beginStart()
            host.addBond(SampleBonds.bond(1, generation: 2))
            host.removeBond(with: SampleBonds.peer(1))
        }
        #expect(memory.load(Self.key(1)) == bytes)
    }

    @Test("A bond that another host of the device has replaced can be removed")
    func replacedElsewhere() throws {
        var foreign = SampleBonds.bond(1)
        foreign.localIdentity = SampleBonds.peer(9)
        let bytes = foreign.encode(localIdentity: SampleBonds.identity)
        var harness = Self.harness([Self.key(1): bytes])
        let saved = SampleBonds.bond(1).encode(localIdentity: SampleBonds.identity)
        harness.store[Self.key(1)] = saved
        harness.core.entryChanged(Self.key(1), to: saved, now: harness.now)
        harness.core.dropBond(of: SampleBonds.peer(1), now: harness.now)
        harness.performActions()
        #expect(harness.store[Self.key(1)] == nil && harness.setAside.isEmpty)
    }

    @Test("Damaged records are set aside and reported, and the undamaged bond is used")
    func torn() throws {
        let good = SampleBonds.bond(1).encode(localIdentity: SampleBonds.identity)
        let bad = SampleBonds.bond(2).encode(localIdentity: SampleBonds.identity)
        let harness = Self.harness([
            Self.key(1): good, Self.key(2): Array(bad.dropLast(9)), Self.key(3): [],
            RecordName.order.key: Array("order".utf8),
            RecordName.counter(SampleBonds.peer(1)).key: good,
        ])
        #expect(harness.core.bonds == [SampleBonds.bond(1)])
        #expect(harness.setAside.count == 4 && !harness.setAside.contains(Self.key(1)))
        #expect(harness.securityEvents.count == 4)
    }

    @Test("Bonds that cannot be read are left unchanged")
    func unreadable() throws {
        var harness = Harness { $0.store = MemoryStore() }
        let fault = StoreFault(TransportError.injected("bad sector"))
        harness.core.storeOpened(
            [StoreEntry(key: Self.key(1), contents: .failure(fault))],
            now: .zero
        )
        harness.performActions()
        guard case .leftAlone(_, let reason)? = harness.securityEvents.first else {
            return #expect(Bool(false), "\(harness.securityEvents)")
        }
        #expect(reason.contains("bad sector") && harness.setAside.isEmpty)
    }

    @Test("Bonds that do not fit into the store are used and reported, and saved later")
    func fullDisk() throws {
        var harness = Self.harness()
        harness.isStoreFull = true
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        harness.performActions()
        #expect(harness.core.bonds.count == 1)
        guard case .storeFailed(let text)? = harness.securityEvents.first else {
            return #expect(Bool(false), "\(harness.securityEvents)")
        }
        #expect(text.contains("disk full"))
        harness.advance(by: .seconds(300))
        #expect(
            (2...11).contains(harness.securityEvents.count),
            "The host repeats the save at intervals"
        )
        harness.isStoreFull = false
        harness.advance(by: .seconds(31))
        #expect(harness.store[Self.key(1)] != nil)
        #expect(harness.core.nextDeadline == nil)
    }

    @Test("Removing a bond removes all records of its peer, and the bond last")
    func removal() throws {
        var harness = Self.harness()
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        #expect(harness.core.takeSignCounter(for: SampleBonds.peer(1)) == 0)
        harness.performActions()
        #expect(harness.store.count == 2)
        harness.core.dropBond(of: SampleBonds.peer(1), now: harness.now)
        var actions: [HostAction] = []
        harness.core.takeActions(into: &actions)
        let removed = actions.compactMap { action -> StoreKey? in
            guard case .remove(let key) = action else { return nil }
            return key
        }
        #expect(removed.count == 4 && removed.last == Self.key(1))
        #expect(harness.core.takeSignCounter(for: SampleBonds.peer(1)) == nil)
    }

    @Test("Sign counters continue after a crash, and begin again with a new key")
    func counters() throws {
        var harness = Self.harness()
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        for expected in UInt32(0)..<300 {
            #expect(harness.core.takeSignCounter(for: SampleBonds.peer(1)) == expected)
        }
        harness.performActions()
        let counterKey = RecordName.counter(SampleBonds.peer(1)).key
        #expect(harness.saves.filter { $0 == counterKey }.count == 2)
        var next = Self.harness(harness.store)
        let counter = next.core.takeSignCounter(for: SampleBonds.peer(1))
        #expect(counter == 512, "The counter skips reserved values")
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

    @Test("A bond that replaces a damaged one begins with new sign counters")
    func countersAfterDamage() throws {
        let peer = SampleBonds.peer(1)
        let clientKey = RecordName.client(peer).key
        let counterKey = RecordName.counter(peer).key
        var record = ClientRecord()
        record.lastSignCounter = 77
        var harness = Self.harness([
            Self.key(1): [1, 2, 3],
            clientKey: record.encode(for: peer),
            counterKey: SignCounter(next: 512, reserved: 512).encode(for: peer),
        ])
        #expect(harness.setAside == [Self.key(1)])
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        harness.performActions()
        #expect(harness.store[clientKey] == nil)
        #expect(harness.core.takeSignCounter(for: peer) == 0)
    }

    @Test("A bond that replaces a damaged one does not use the stored database of its peer")
    func databaseAfterDamage() throws {
        let databaseKey = RecordName.database(SampleBonds.peer(1)).key
        var harness = Self.harness([Self.key(1): [1, 2, 3], databaseKey: [4]])
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        harness.performActions()
        #expect(harness.store[databaseKey] == nil)
    }

    @Test("A bond with another key removes a sign counter of its peer that was not read yet")
    func counterNotRead() throws {
        let peer = SampleBonds.peer(1)
        let clientKey = RecordName.client(peer).key
        var record = ClientRecord()
        record.lastSignCounter = 77
        var harness = Self.harness([
            Self.key(1): SampleBonds.bond(1).encode(localIdentity: SampleBonds.identity),
            clientKey: record.encode(for: peer),
        ])
        harness.core.keepBond(SampleBonds.bond(1), now: harness.now)
        harness.performActions()
        #expect(harness.store[clientKey] != nil)
        harness.core.keepBond(SampleBonds.bond(1, generation: 2), now: harness.now)
        harness.performActions()
        #expect(harness.store[clientKey] == nil)
    }

    @Test("A bond whose sign counter is damaged signs no command until it has another key")
    func damagedCounter() throws {
        let counterKey = RecordName.counter(SampleBonds.peer(1)).key
        var harness = Self.harness([
            Self.key(1): SampleBonds.bond(1).encode(localIdentity: SampleBonds.identity),
            counterKey: [1, 2, 3],
        ])
        #expect(harness.core.takeSignCounter(for: SampleBonds.peer(1)) == nil)
        #expect(harness.setAside == [counterKey])
        var next = Self.harness(harness.store)
        #expect(next.core.takeSignCounter(for: SampleBonds.peer(1)) == nil)
        var rekeyed = SampleBonds.bond(1)
        rekeyed.localSigningKey = SampleBonds.resolvingKey
        next.core.keepBond(rekeyed, now: next.now)
        #expect(next.core.takeSignCounter(for: SampleBonds.peer(1)) == 0)
    }

    @Test("A sign counter that cannot be read is not used, and is left unchanged")
    func unreadableCounter() throws {
        let counterKey = RecordName.counter(SampleBonds.peer(1)).key
        let bond = SampleBonds.bond(1).encode(localIdentity: SampleBonds.identity)
        let fault = StoreFault(TransportError.injected("bad sector"))
        var harness = Harness { $0.store = MemoryStore() }
        harness.store = [counterKey: [7]]
        harness.core.storeOpened(
            [
                StoreEntry(key: Self.key(1), contents: .success(bond)),
                StoreEntry(key: counterKey, contents: .failure(fault)),
            ],
            now: .zero
        )
        #expect(harness.core.takeSignCounter(for: SampleBonds.peer(1)) == nil)
        harness.performActions()
        #expect(harness.store[counterKey] == [7] && harness.setAside.isEmpty)
    }
}
