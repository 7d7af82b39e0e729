// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import StoreTestSupport
import Testing

@testable import BluetoothHost

/// A store whose operations fail on request.
final class FailingStore: HostStore {
    let memory: MemoryStore
    let failsToLoad: Bool
    let failsToSave: Bool
    let failsToList: Bool

    init(
        _ memory: MemoryStore = MemoryStore(),
        failsToLoad: Bool = false,
        toSave: Bool = false,
        toList: Bool = false
    ) {
        self.memory = memory
        self.failsToLoad = failsToLoad
        failsToSave = toSave
        failsToList = toList
    }

    private func fail(_ fails: Bool) throws {
        if fails { throw TransportError.injected("the disk") }
    }

    func load(_ key: StoreKey) throws -> [UInt8]? {
        try fail(failsToLoad)
        return memory.load(key)
    }

    func save(_ bytes: [UInt8], as key: StoreKey) throws {
        try fail(failsToSave)
        memory.save(bytes, as: key)
    }

    func remove(_ key: StoreKey) throws {
        try fail(failsToSave)
        memory.remove(key)
    }

    func keys() throws -> [StoreKey] {
        try fail(failsToList)
        return memory.keys()
    }

    func setAside(_ key: StoreKey, because reason: String) throws {
        try fail(failsToSave)
        memory.setAside(key, because: reason)
    }
}

@Suite("Identity of a host")
struct IdentityTests {
    private let key = RecordName.identity.key

    private func identity(
        _ store: (any HostStore)?,
        seed: UInt64 = 1,
        address: DeviceAddress? = nil
    ) -> HostIdentity {
        var configuration = HostConfiguration()
        configuration.store = store
        configuration.address = address
        configuration.randomness = SplitMix64(seed: seed)
        return HostIdentity(of: &configuration)
    }

    @Test("The identity is generated once and stored")
    func kept() {
        let store = MemoryStore()
        let first = identity(store, seed: 1)
        #expect(first.local.address.randomKind == .static && first.events.isEmpty)
        #expect(store.contents.keys.map(\.description).sorted() == ["identity", "secret"])
        let second = identity(store, seed: 2)
        #expect(second.local == first.local && second.secret == first.secret)
        let other = identity(nil, seed: 2)
        #expect(other.local != first.local && other.secret != first.secret)
        #expect(
            first.secret != first.local.resolvingKey,
            "The secret differs from the resolving key, which peers get"
        )
    }

    @Test("The address can be configured, and the resolving key remains")
    func configured() {
        let store = MemoryStore()
        let first = identity(store, address: SampleBonds.identity)
        #expect(first.local.address == SampleBonds.identity)
        let second = identity(store, seed: 2, address: SampleBonds.peer(1))
        #expect(second.local.address == SampleBonds.peer(1))
        #expect(second.local.resolvingKey == first.local.resolvingKey)
        #expect(identity(store, seed: 3).local == first.local, "The first identity is stored")
    }

    @Test("While the store cannot be read, another identity is used and nothing is overwritten")
    func unreadable() throws {
        let memory = MemoryStore()
        let before = identity(memory).local
        let failing = identity(FailingStore(memory, failsToLoad: true), seed: 2)
        #expect(failing.local != before)
        guard case .leftAlone("identity", _)? = failing.events.first else {
            return #expect(Bool(false), "\(failing.events)")
        }
        #expect(identity(memory, seed: 3).local == before)
    }

    @Test("Hosts that share a store have one identity even if it cannot be used")
    func shared() {
        let torn = MemoryStore()
        torn.save([1, 2, 3], as: key)
        torn.save([1, 2, 3], as: RecordName.secret.key)
        let stores = [FailingStore(failsToLoad: true), FailingStore(torn, toSave: true)]
        for store in stores {
            let shared = SharedStore(store)
            let members = (0..<3).map { _ in shared.makeMember() }
            let identities = members.enumerated().map { identity($1, seed: UInt64($0)) }
            #expect(Set(identities.map(\.local.address)).count == 1)
            #expect(Set(identities.map(\.secret)).count == 1)
        }
    }

    @Test("An identity that cannot be stored is reported")
    func unwritable() {
        let failing = identity(FailingStore(toSave: true))
        guard case .storeFailed(let text)? = failing.events.first else {
            return #expect(Bool(false), "\(failing.events)")
        }
        #expect(text.contains("the disk"))
    }

    @Test("A damaged identity is set aside and replaced")
    func torn() throws {
        let store = MemoryStore()
        let before = identity(store).local
        store.save(Array(before.encode().dropLast()), as: key)
        let after = identity(store, seed: 2)
        guard case .setAside("identity", let reason)? = after.events.first else {
            return #expect(Bool(false), "\(after.events)")
        }
        #expect(reason.contains("incomplete or damaged") && after.local != before)
        #expect(identity(store, seed: 3).local == after.local)
    }

    @Test("A damaged secret is replaced without a change of the identity")
    func tornSecret() throws {
        let store = MemoryStore()
        let before = identity(store)
        store.save(
            Array(Record.encode(secret: before.secret).dropLast()),
            as: RecordName.secret.key
        )
        let after = identity(store, seed: 2)
        guard case .setAside("secret", _)? = after.events.first else {
            return #expect(Bool(false), "\(after.events)")
        }
        #expect(after.secret != before.secret && after.local == before.local)
        #expect(identity(store, seed: 3).secret == after.secret)
    }

    @Test("An identity of a later version is left unchanged")
    func newer() throws {
        let store = MemoryStore()
        var bytes = Array(identity(store).local.encode().dropLast(4))
        bytes[5] = 2
        var writer = ByteWriter()
        writer.write(contentsOf: bytes)
        writer.write(CRC32.checksum(of: bytes))
        store.save(writer.bytes, as: key)
        guard case .leftAlone("identity", let reason)? = identity(store, seed: 2).events.first
        else {
            return #expect(Bool(false))
        }
        #expect(reason.contains("later version"))
        #expect(store.load(key) == writer.bytes)
    }

    @Test("The next host has the same identity and uses the same bonds")
    func hosts() async throws {
        let store = MemoryStore()
        var configuration = HostConfiguration()
        configuration.store = store
        let first = BluetoothHost(transport: UnreachableTransport(), configuration: configuration)
        let address = await first.core.ownAddress
        await first.addBond(SampleBonds.bond(1))
        #expect(store.contents.count == 3)
        await first.shutdown()
        let second = BluetoothHost(transport: UnreachableTransport(), configuration: configuration)
        #expect(await second.core.ownAddress == address)
        await #expect(throws: HostError.self) { try await second.start() }
        #expect(await second.bonds.isEmpty, "A bond of another identity is unused")
        var bond = SampleBonds.bond(2)
        bond.localIdentity = nil
        await second.addBond(bond)
        await second.shutdown()
        let third = BluetoothHost(transport: UnreachableTransport(), configuration: configuration)
        await #expect(throws: HostError.self) { try await third.start() }
        #expect(await third.bonds.map(\.identifier) == [bond.identifier])
        #expect(await third.bonds.map(\.name) == [bond.name])
        await third.shutdown()
    }
}

/// A transport that never opens.
private struct UnreachableTransport: HCITransport {
    let name = "nowhere"

    func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        throw .refused(name)
    }

    func send(_ packets: [[UInt8]]) {}

    func close() {}
}
