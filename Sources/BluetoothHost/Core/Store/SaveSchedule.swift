// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The times at which changed entries are written to the store. An entry is usually written at
/// once, but a peer must not be able to cause writes without end, which wear out the disk.
///
/// Each entry has an allowance of writes, which grows back. A change beyond the allowance waits,
/// and the latest contents are written when there is allowance again. A write that failed waits in
/// the same way.
struct SaveSchedule: Sendable {
    /// A number of writes in a row, and then one more in each interval.
    struct Allowance: Sendable {
        let burst: Int
        let interval: Duration

        /// The time before the allowance is whole again from which a write is permitted.
        var slack: Duration { interval * (burst - 1) }
    }

    /// The number of writes of an entry before it has to wait.
    static let burstLimit = 16
    /// The time in which the allowance grows by one write.
    static let interval: Duration = .seconds(30)
    /// The interval between writes of the order in which peers proved their identity. The loss of
    /// recent changes does no harm.
    static let orderInterval: Duration = .seconds(600)
    /// The interval between writes of an application's record that changes often. Within
    /// `applicationBurstLimit` writes, a program that is killed loses at most the changes of this
    /// time.
    static let applicationInterval: Duration = .seconds(1)
    /// The number of such writes. After that the record waits like other entries, so no program
    /// writes more than 2,880 times a day for long.
    static let applicationBurstLimit = 256
    /// The number of remembered entries above which entries with their whole allowance are removed.
    static let pruneLimit = 4_096

    /// The times at which each entry has all of each of its allowances again.
    private var wholeAt: [RecordName: [Instant]] = [:]
    /// The entries that wait to be written.
    private(set) var waiting: Set<RecordName> = []
    /// The entries that changed since the last call of `takeDue`.
    private var changed: [RecordName] = []

    /// Adds an entry that changed.
    mutating func want(_ name: RecordName) {
        if waiting.insert(name).inserted { changed.append(name) }
    }

    /// Whether an entry has changed since the last call of `takeDue`.
    var hasNews: Bool { !changed.isEmpty }

    /// Removes an entry that is gone, or has just been written for another reason.
    mutating func forget(_ name: RecordName) {
        waiting.remove(name)
    }

    /// Schedules another attempt, after a pause, for an entry that could not be written.
    mutating func failed(_ name: RecordName, now: Instant) {
        waiting.insert(name)
        wholeAt[name] = Self.allowances(of: name).map { now + $0.slack + Self.interval }
    }

    /// The time at which to call `takeDue`, or nil if nothing waits.
    var nextDeadline: Instant? {
        if hasNews { return .zero }
        // Usually nothing waits, and this runs after every packet.
        return waiting.isEmpty ? nil : waiting.map(dueTime).min()
    }

    /// Removes and returns the entries to be written now.
    mutating func takeDue(now: Instant) -> [RecordName] {
        changed = []
        let due = waiting.filter { dueTime($0) <= now }
        guard !due.isEmpty else { return [] }
        if wholeAt.count > Self.pruneLimit {
            wholeAt = wholeAt.filter { _, whole in whole.contains { $0 > now } }
        }
        for name in due { spend(name, now: now) }
        waiting.subtract(due)
        return due.sorted { $0.key.description < $1.key.description }
    }

    /// The number of entries with remembered writes.
    var rememberedCount: Int { wholeAt.count }

    /// Removes and returns all entries that wait, because the host ends.
    mutating func takeAll() -> [RecordName] {
        defer { (waiting, changed) = ([], []) }
        return waiting.sorted { $0.key.description < $1.key.description }
    }

    private mutating func spend(_ name: RecordName, now: Instant) {
        let allowances = Self.allowances(of: name)
        let before = wholeAt[name] ?? allowances.map { _ in now }
        wholeAt[name] = zip(before, allowances).map { max($0, now) + $1.interval }
    }

    private func dueTime(_ name: RecordName) -> Instant {
        guard let whole = wholeAt[name] else { return .zero }
        return zip(whole, Self.allowances(of: name)).map { $0 + (.zero - $1.slack) }.max() ?? .zero
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
