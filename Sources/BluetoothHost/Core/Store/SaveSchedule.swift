// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// When changed entries are written to the store: at once as a rule; but no peer can make the host
/// write without end, and so wear out its disk.
///
/// Each entry has an allowance of writes, which grows back. What is changed beyond it waits, and what
/// it is then, the latest, is written when there is allowance again. A write that failed waits
/// likewise.
struct SaveSchedule: Sendable {
    /// So many writes in a row; then one more in each interval.
    struct Allowance: Sendable {
        let burst: Int
        let interval: Duration

        /// How long before there is the whole allowance again a write is in order.
        var slack: Duration { interval * (burst - 1) }
    }

    /// How often an entry is written before it has to wait.
    static let burstLimit = 16
    /// The time in which the allowance grows by one write.
    static let interval: Duration = .seconds(30)
    /// How long the order of meetings waits: to lose some of it does no harm.
    static let orderInterval: Duration = .seconds(600)
    /// How long an application's record waits that changes often: what a program that is killed loses
    /// of what it has kept.
    static let applicationInterval: Duration = .seconds(1)
    /// How often such a record is written so: then it waits as others do, and no program writes more
    /// than 2,880 times a day for long.
    static let applicationBurstLimit = 256
    /// How many entries may be remembered to have been written; then those are forgotten that have
    /// their whole allowance.
    static let pruneLimit = 4_096

    /// When each entry has all of each of its allowances again.
    private var wholeAt: [RecordName: [Instant]] = [:]
    /// What waits to be written.
    private(set) var waiting: Set<RecordName> = []
    /// What changed since `takeDue` was asked last.
    private var changed: [RecordName] = []

    /// An entry changed.
    mutating func want(_ name: RecordName) {
        if waiting.insert(name).inserted { changed.append(name) }
    }

    /// Whether something has just changed.
    var hasNews: Bool { !changed.isEmpty }

    /// An entry is gone, or has just been written for another reason.
    mutating func forget(_ name: RecordName) {
        waiting.remove(name)
    }

    /// An entry could not be written: once more, after a pause.
    mutating func failed(_ name: RecordName, now: Instant) {
        waiting.insert(name)
        wholeAt[name] = Self.allowances(of: name).map { now + $0.slack + Self.interval }
    }

    /// When `takeDue` is to be asked; nil if nothing waits.
    var nextDeadline: Instant? {
        if hasNews { return .zero }
        return waiting.map(dueTime).min()
    }

    /// What is to be written now.
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

    /// How many entries are remembered to have been written.
    var rememberedCount: Int { wholeAt.count }

    /// Everything that waits: the host ends.
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

    /// A write is due when each of these allows it.
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
