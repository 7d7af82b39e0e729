// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import StoreTestSupport
import Testing

@testable import BluetoothHost

@Suite("Reading a store without its host")
struct StoredBondsTests {
    private func store() -> MemoryStore {
        let store = MemoryStore()
        let identity = Pairing.LocalIdentity(
            address: SampleBonds.identity,
            resolvingKey: SampleBonds.resolvingKey
        )
        store.save(identity.encode(), as: RecordName.identity.key)
        for number in 1...3 {
            let bond = SampleBonds.bond(number)
            store.save(bond.encode(localIdentity: SampleBonds.identity), as: key(.bond, number))
        }
        store.save(
            BondOrder([2, 3, 1].map(SampleBonds.peer)).encode(),
            as: RecordName.order.key
        )
        return store
    }

    private func key(_ kind: RecordName.Kind, _ number: Int) -> StoreKey {
        let peer = SampleBonds.peer(number)
        return switch kind {
        case .identity: RecordName.identity.key
        case .secret: RecordName.secret.key
        case .application: StoreKey(name: "application-\(number)")
        case .order: RecordName.order.key
        case .bond: RecordName.bond(peer).key
        case .counter: RecordName.counter(peer).key
        case .client: RecordName.client(peer).key
        case .database: RecordName.database(peer).key
        }
    }

    @Test("The bonds and the problems of a store are listed")
    func reading() throws {
        let store = store()
        var foreign = SampleBonds.bond(4)
        foreign.localIdentity = SampleBonds.peer(9)
        store.save(foreign.encode(localIdentity: SampleBonds.identity), as: key(.bond, 4))
        store.save([1, 2], as: key(.bond, 5))
        let before = store.contents
        let stored = try StoredBonds(store)
        #expect(stored.localIdentity == SampleBonds.identity)
        #expect(stored.bonds.map(\.identity) == [2, 3, 1].map(SampleBonds.peer))
        #expect(stored.problems.map(\.entry) == [4, 5].map { key(.bond, $0).description })
        #expect(store.contents == before, "Reading does not change the store")
    }

    @Test("Removing a bond removes all records of its peer")
    func removing() throws {
        let store = store()
        for kind in [RecordName.Kind.client, .database, .counter] {
            store.save([1], as: key(kind, 3))
            store.save([1], as: key(kind, 1))
        }
        var stored = try StoredBonds(store)
        let identifier = SampleBonds.bond(3).identifier
        let isRemoved = try stored.remove(identifier)
        let isRemovedAgain = try stored.remove(identifier)
        #expect(isRemoved && !isRemovedAgain)
        #expect(stored.bonds.map(\.identity) == [2, 1].map(SampleBonds.peer))
        #expect(store.keys().allSatisfy { RecordName($0)?.peer != SampleBonds.peer(3) })
        #expect(store.contents.count == 7)
    }

    @Test("A new store is empty, and a lost identity is reported")
    func nothing() throws {
        let stored = try StoredBonds(MemoryStore())
        #expect(stored.bonds.isEmpty && stored.problems.isEmpty && stored.localIdentity == nil)
        let store = store()
        store.save([0], as: RecordName.identity.key)
        let lost = try StoredBonds(store)
        #expect(lost.localIdentity == nil && lost.bonds.isEmpty)
        #expect(lost.problems.count == 4 && lost.problems.first?.entry == "identity")
        #expect(lost.problems.dropFirst().allSatisfy { $0.reason.contains("has no identity") })
    }
}
