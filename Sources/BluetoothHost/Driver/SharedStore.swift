// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// A store for several hosts that are one device.
///
/// Each host has a controller of its own, and a ``Member`` of the store in its configuration. The
/// hosts have the same identity, and therefore the same bonds: a peer that has bonded through one
/// controller encrypts its link through any of them. A change of a bond reaches every host at once.
/// The database of a peer and its configuration as a client move to the host to which the peer
/// connects.
///
/// All hosts must run on one executor. A host that is created after another one has started must be
/// created on that executor as well, because it reads entries of the others.
package final class SharedStore: Sendable {
    private struct State {
        /// The hosts that have started, by the number of their member.
        var hosts: [Int: WeakHost] = [:]
        /// The members that are not closed.
        var open: Set<Int> = []
        var lastNumber = 0
        /// Entries of the device itself that are in use, and may differ from those of the store.
        /// Without them, each host would generate an identity of its own if the store fails.
        var used: [StoreKey: [UInt8]] = [:]
    }

    private struct WeakHost {
        weak var host: BluetoothHost?
    }

    private let base: any HostStore
    private let state = Lock(State())

    /// Creates a shared store whose entries another store keeps.
    ///
    /// - Parameter base: The store that keeps the entries. With `nil`, they last as long as this
    ///   store.
    package init(_ base: (any HostStore)? = nil) {
        self.base = base ?? MemoryStore()
    }

    /// Returns the store for another host.
    package func makeMember() -> Member {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.open.insert(state.lastNumber)
            return state.lastNumber
        }
        return Member(number, of: self)
    }

    /// The store of one of the hosts.
    package final class Member: HostStore {
        private let number: Int
        private let shared: SharedStore

        fileprivate init(_ number: Int, of shared: SharedStore) {
            self.number = number
            self.shared = shared
        }

        deinit { shared.close(number) }

        /// Adds the host that uses this member, when the host starts.
        func join(_ host: BluetoothHost) { shared.join(host, number) }

        /// Makes the other hosts use an entry of the device that the store does not get.
        func share(_ bytes: [UInt8], as key: StoreKey) { shared.use(bytes, as: key) }

        package func load(_ key: StoreKey) throws -> [UInt8]? { try shared.load(key, for: number) }

        package func save(_ bytes: [UInt8], as key: StoreKey) throws {
            try shared.save(bytes, as: key, of: number)
        }

        package func remove(_ key: StoreKey) throws { try shared.remove(key, of: number) }
        package func keys() throws -> [StoreKey] { try shared.base.keys() }

        package func setAside(_ key: StoreKey, because reason: String) throws {
            try shared.base.setAside(key, because: reason)
        }

        package func close() { shared.close(number) }
    }
}

extension SharedStore {
    private func join(_ host: BluetoothHost, _ number: Int) {
        let others = others(than: number)
        precondition(
            others.allSatisfy { $0.executor === host.executor },
            "hosts with a shared store must run on one executor"
        )
        state.withLock { $0.hosts[number] = WeakHost(host: host) }
    }

    /// Closes a member. The underlying store is closed with the last one.
    private func close(_ number: Int) {
        let isLast = state.withLock { state in
            state.hosts[number] = nil
            return state.open.remove(number) != nil && state.open.isEmpty
        }
        if isLast { base.close() }
    }

    /// Returns the hosts other than that of a member. Hosts are called without the lock, because
    /// they call the store.
    private func others(than number: Int) -> [BluetoothHost] {
        state.withLock { state in
            state.hosts.keys.sorted().filter { $0 != number }.compactMap { state.hosts[$0]?.host }
        }
    }

    /// Returns the latest version of an entry, which another host may have in its memory only.
    private func load(_ key: StoreKey, for number: Int) throws -> [UInt8]? {
        if let bytes = state.withLock({ $0.used[key] }) { return bytes }
        for host in others(than: number) {
            guard let entry = host.assumeIsolated({ $0.handOver(key) }) else { continue }
            if entry.isUnsaved { saveTransferred(entry.bytes, as: key, for: number) }
            return entry.bytes
        }
        let bytes = try base.load(key)
        if let bytes, Self.isOfDevice(key) { use(bytes, as: key) }
        return bytes
    }

    private func use(_ bytes: [UInt8]?, as key: StoreKey) {
        state.withLock { $0.used[key] = bytes }
    }

    /// Saves an entry that a host takes over. If the store cannot save it, that host uses the entry
    /// from memory, and saves it later.
    private func saveTransferred(_ bytes: [UInt8], as key: StoreKey, for number: Int) {
        do {
            try base.save(bytes, as: key)
        } catch {
            let host = state.withLock { $0.hosts[number]?.host }
            host?.assumeIsolated { $0.saveFailed(key, StoreFault(error)) }
        }
    }

    private func save(_ bytes: [UInt8], as key: StoreKey, of number: Int) throws {
        if Self.isOfDevice(key) { use(bytes, as: key) }
        try base.save(bytes, as: key)
        informOthers(than: number, key, bytes)
    }

    private func remove(_ key: StoreKey, of number: Int) throws {
        try base.remove(key)
        if Self.isOfDevice(key) { use(nil, as: key) }
        informOthers(than: number, key, nil)
    }

    private func informOthers(than number: Int, _ key: StoreKey, _ bytes: [UInt8]?) {
        guard !Self.isOfDevice(key) else { return }
        for host in others(than: number) {
            host.assumeIsolated { $0.entryChanged(key, to: bytes) }
        }
    }

    private static func isOfDevice(_ key: StoreKey) -> Bool {
        switch RecordName(key) {
        case .identity, .secret: true
        default: false
        }
    }
}

extension BluetoothHost {
    /// Takes an entry that another host of the same device has changed.
    fileprivate func entryChanged(_ key: StoreKey, to bytes: [UInt8]?) {
        core.entryChanged(key, to: bytes, now: executor.now)
        settle()
    }

    fileprivate func saveFailed(_ key: StoreKey, _ fault: StoreFault) {
        core.saveFailed(key, fault, now: executor.now)
    }

    fileprivate func handOver(_ key: StoreKey) -> HostCore.TransferredEntry? { core.handOver(key) }
}
