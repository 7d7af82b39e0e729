// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// The times at which changed entries are written to the store. An entry is usually written at
/// once. Its number of writes is limited, because a peer could otherwise cause endless writes,
/// which wear out the disk.
///
/// Each entry has an allowance of writes, which grows with time up to a maximum. A change beyond
/// the allowance waits, and the latest contents are written when the allowance permits it. A failed
/// write is repeated in the same way.
struct SaveSchedule: Sendable {
    /// A limit for the rate of writes: `burst` writes at once, and one more in each `interval`.
    struct Allowance: Sendable {
        let burst: Int
        let interval: Duration

        /// The tolerance: a write is permitted if the allowance is full again within this time.
        var tolerance: Duration { interval * (burst - 1) }
    }

    /// The number of writes of an entry before it has to wait.
    static let burstLimit = 16
    /// The time after which the allowance grows by one write.
    static let interval: Duration = .seconds(30)
    /// The interval between writes of the order in which peers proved their identity. It is long,
    /// because the loss of recent changes does no harm.
    static let orderInterval: Duration = .seconds(600)
    /// The interval between writes of an application's record that changes often. Until the record
    /// has used up `applicationBurstLimit`, a program that is killed loses at most the changes of
    /// this time.
    static let applicationInterval: Duration = .seconds(1)
    /// The number of writes of an application's record before it has to wait as long as other
    /// entries. In the long run, no program writes a record more than 2,880 times a day.
    static let applicationBurstLimit = 256
    /// The number of entries in `fullAt` above which the entries with a full allowance are
    /// removed.
    static let pruneLimit = 4_096

    /// The times at which each allowance of an entry is full again.
    private var fullAt: [RecordName: [Instant]] = [:]
    /// The entries that wait to be written.
    private(set) var waiting: Set<RecordName> = []
    /// The entries that began to wait since the last call of `takeDue`.
    private var changed: [RecordName] = []

    /// Adds an entry that changed.
    mutating func request(_ name: RecordName) {
        if waiting.insert(name).inserted { changed.append(name) }
    }

    /// Whether an entry has begun to wait since the last call of `takeDue`. An entry that waits for
    /// its allowance does not count when it changes again.
    var hasChanges: Bool { !changed.isEmpty }

    /// Removes an entry that no longer exists, or has just been written for another reason.
    mutating func forget(_ name: RecordName) {
        waiting.remove(name)
    }

    /// Schedules another attempt for an entry that could not be written, `interval` after `now`.
    mutating func failed(_ name: RecordName, now: Instant) {
        waiting.insert(name)
        fullAt[name] = Self.allowances(of: name).map { now + $0.tolerance + Self.interval }
    }

    /// The time at which to call `takeDue`, zero for a call at once, or `nil` if no entry waits.
    var nextDeadline: Instant? {
        if hasChanges { return .zero }
        // This runs after every packet, and usually no entry waits.
        return waiting.isEmpty ? nil : waiting.map(dueTime).min()
    }

    /// Removes and returns the entries to be written now.
    mutating func takeDue(now: Instant) -> [RecordName] {
        changed = []
        let due = waiting.filter { dueTime($0) <= now }
        guard !due.isEmpty else { return [] }
        if fullAt.count > Self.pruneLimit {
            fullAt = fullAt.filter { _, times in times.contains { $0 > now } }
        }
        for name in due { spend(name, now: now) }
        waiting.subtract(due)
        return due.sorted { $0.key.description < $1.key.description }
    }

    /// The number of entries whose allowance is tracked, for tests.
    var trackedCount: Int { fullAt.count }

    /// Removes and returns all entries that wait, because the host is shut down.
    mutating func takeAll() -> [RecordName] {
        defer { (waiting, changed) = ([], []) }
        return waiting.sorted { $0.key.description < $1.key.description }
    }

    private mutating func spend(_ name: RecordName, now: Instant) {
        let allowances = Self.allowances(of: name)
        let before = fullAt[name] ?? allowances.map { _ in now }
        fullAt[name] = zip(before, allowances).map { max($0, now) + $1.interval }
    }

    private func dueTime(_ name: RecordName) -> Instant {
        guard let times = fullAt[name] else { return .zero }
        return zip(times, Self.allowances(of: name)).map { $0 + (.zero - $1.tolerance) }.max()
            ?? .zero
    }

    /// Returns the allowances of an entry. A write is due when each of them permits it.
    private static func allowances(of name: RecordName) -> [Allowance] {
        switch name {
        case .order: [Allowance(burst: 1, interval: orderInterval)]
        case .application:
            [
                Allowance(burst: burstLimit, interval: applicationInterval),
                Allowance(burst: applicationBurstLimit, interval: interval),
            ]
        default: [Allowance(burst: burstLimit, interval: interval)]
        }
    }
}

/// The core's knowledge of its store, except the contents.
struct StoreState: Sendable {
    /// The entries to be written, and the times.
    var schedule = SaveSchedule()
    /// The keys of entries of another identity or a later version, and of entries that could not be
    /// read. The host does not use or destroy such an entry. If it must write under the same key,
    /// it sets the entry aside first.
    var untouchedKeys: Set<StoreKey> = []
    /// The keys that no longer belong to an unknown entry of a store that could not be listed; `nil`
    /// if the store was listed. Under every other key of such a store, there may be an entry that
    /// must be set aside first.
    var checkedKeys: Set<StoreKey>?
    /// Whether the store lacks the host's identity, without which bonds are of no use.
    var isIdentityUnsaved = false
    /// The counters of this host's signatures.
    var counters: [DeviceAddress: SignCounter] = [:]
    /// The limits in the store for the counters of the peers' signatures.
    var ceilings: [DeviceAddress: CounterCeiling] = [:]

    /// Returns whether the host must set the entry with this key aside before it writes or removes
    /// an entry of its own.
    func mustKeep(_ key: StoreKey) -> Bool {
        untouchedKeys.contains(key) || checkedKeys.map { !$0.contains(key) } ?? false
    }

    /// Records that the entry with this key, if there is one, is an entry of this host.
    mutating func own(_ key: StoreKey) {
        untouchedKeys.remove(key)
        checkedKeys?.insert(key)
    }

    /// Removes the counters of a peer.
    mutating func forget(_ peer: DeviceAddress) {
        counters[peer] = nil
        ceilings[peer] = nil
    }
}
