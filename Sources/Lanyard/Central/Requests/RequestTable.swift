// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What one accessory was asked, and has not answered.
///
/// Core Bluetooth does not say which question an answer is for, but answers those of a kind in order. So a
/// question that nobody waits for any more keeps its place until its answer has come.
struct RequestTable {
    /// How many questions there may be at a time, those included that nobody waits for.
    static let limit = 256

    /// What was asked.
    enum Subject: Hashable, Sendable {
        /// A value.
        case read(CharacteristicPath)
        /// The same, to see whether it may be read.
        case probe(CharacteristicPath)
        /// How strongly it is received.
        case signal
        /// A channel with this number.
        case channel(UInt16)

        /// The characteristic that it is about, if it is about one.
        var path: CharacteristicPath? {
            switch self {
            case .read(let path), .probe(let path): path
            case .signal, .channel: nil
            }
        }
    }

    private struct Entry {
        let number: Int
        let subject: Subject
        var deadline: Duration?
        var isAwaited = true
    }

    private var entries: [Entry] = []

    /// Whether there is room for another.
    var isFull: Bool { entries.count >= Self.limit }

    /// When somebody has waited too long; nil if nobody waits.
    var nextDeadline: Duration? {
        entries.lazy.filter(\.isAwaited).compactMap(\.deadline).min()
    }

    /// Something was asked.
    mutating func add(_ number: Int, _ subject: Subject, deadline: Duration?) {
        entries.append(Entry(number: number, subject: subject, deadline: deadline))
    }

    /// An answer has come for a question of which this is true: which one, and what it was; nil if nobody
    /// asked.
    mutating func answered(
        _ isMeant: (Subject) -> Bool
    ) -> (number: Int, subject: Subject)? {
        guard let index = entries.firstIndex(where: { isMeant($0.subject) }) else { return nil }
        let entry = entries.remove(at: index)
        return (entry.number, entry.subject)
    }

    /// Nobody waits for an answer any more.
    mutating func abandon(_ number: Int) {
        for index in entries.indices where entries[index].number == number {
            entries[index].isAwaited = false
        }
    }

    /// Those whose time is over; their answers may still come.
    mutating func expired(now: Duration) -> [Int] {
        var numbers: [Int] = []
        for index in entries.indices where entries[index].isAwaited {
            guard let deadline = entries[index].deadline, deadline <= now else { continue }
            entries[index].isAwaited = false
            numbers.append(entries[index].number)
        }
        return numbers
    }

    /// These services are gone, or others: questions about their characteristics are not answered any more.
    /// Those who wait for such an answer.
    mutating func removeAll(of services: Set<BluetoothID>) -> [Int] {
        let removed = entries.filter {
            $0.subject.path.map { services.contains($0.service) } ?? false
        }
        let numbers = Set(removed.map(\.number))
        entries.removeAll { numbers.contains($0.number) }
        return removed.filter(\.isAwaited).map(\.number)
    }

    /// The link has ended: no answer will come.
    mutating func removeAll() {
        entries = []
    }
}

/// An answer.
enum RequestAnswer: Sendable {
    /// A value.
    case value(Data)
    /// How strongly it is received, in dBm.
    case signal(Int)
    /// A channel.
    case channel(ByteChannel)
    /// It is done.
    case done
}

/// Who waits for an answer.
struct RequestReply: Sendable {
    let give: @Sendable (Result<RequestAnswer, AccessoryError>) -> Void
    var progress: (@Sendable (Int) -> Void)?
}
