// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// When changed entries are written to the store: at once as a rule; but no peer can make the host
/// write without end, and so wear out its disk.
///
/// Each entry has an allowance of writes, which grows back. What is changed beyond it waits, and what
/// it is then, the latest, is written when there is allowance again. A write that failed waits
/// likewise.
struct SaveSchedule: Sendable {
    /// How often an entry is written before it has to wait.
    static let burstLimit = 16
    /// The time in which the allowance grows by one write.
    static let interval: Duration = .seconds(30)
    /// How long the order of meetings waits: to lose some of it does no harm.
    static let orderInterval: Duration = .seconds(600)
    /// How many entries may be remembered to have been written; then those are forgotten that have
    /// their whole allowance.
    static let pruneLimit = 4_096

    /// When each entry has its whole allowance again.
    private var wholeAt: [RecordName: Instant] = [:]
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
        wholeAt[name] = now + Self.slack(name) + Self.interval
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
        if wholeAt.count > Self.pruneLimit { wholeAt = wholeAt.filter { $0.value > now } }
        for name in due {
            wholeAt[name] = max(wholeAt[name] ?? now, now) + Self.interval(of: name)
        }
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

    private func dueTime(_ name: RecordName) -> Instant {
        wholeAt[name].map { $0 + (.zero - Self.slack(name)) } ?? .zero
    }

    private static func interval(of name: RecordName) -> Duration {
        name == .order ? orderInterval : interval
    }

    /// How long before an entry has its whole allowance it may be written.
    private static func slack(_ name: RecordName) -> Duration {
        name == .order ? .zero : interval * (burstLimit - 1)
    }
}
