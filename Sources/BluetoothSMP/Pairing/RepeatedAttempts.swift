// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The delays after failed pairings and after questions without a yes (Vol 3, Part H, 2.3.6).
///
/// Two limits apply. The first is for each peer: each failed pairing doubles the delay, until a
/// pairing succeeds or the delay has been over for `longestDelay`. A peer that changes its address
/// evades this limit.
///
/// The second limit therefore counts all peers together. It applies to the questions that incoming
/// pairings ask the user. After `questionLimit` questions without a yes, all incoming pairings are
/// delayed, and each further question doubles the delay.
package struct RepeatedAttempts: Sendable {
    /// The delay after the first failure of a peer.
    package static let firstDelay = Duration.seconds(1)

    /// The longest delay. A record whose delay has been over for this long no longer counts.
    package static let longestDelay = Duration.seconds(600)

    /// The maximum number of peers with a record. If there is a further peer, the record with the
    /// earliest end of a delay is removed.
    package static let peerLimit = 64

    /// The number of questions without a yes after which incoming pairings are delayed.
    package static let questionLimit = 3

    /// The delay after the last of `questionLimit` questions.
    package static let firstQuestionDelay = Duration.seconds(60)

    private struct Record: Sendable {
        var delay: Duration
        var end: Instant

        func isForgotten(at now: Instant) -> Bool { end + RepeatedAttempts.longestDelay <= now }
    }

    private struct Questions: Sendable {
        var count = 0
        var last: Record
    }

    private var records: [DeviceAddress: Record] = [:]
    /// The questions since the count was last reset, or `nil` if there were none.
    private var questions: Questions?

    package init() {}

    /// The number of peers with a record.
    package var count: Int { records.count }

    /// Records a failed pairing with the peer. The caller decides which failures count.
    package mutating func failed(_ peer: DeviceAddress, now: Instant) {
        records = records.filter { !$0.value.isForgotten(at: now) }
        let delay = records[peer].map { min($0.delay * 2, Self.longestDelay) } ?? Self.firstDelay
        if records[peer] == nil, records.count >= Self.peerLimit { makeRoom() }
        records[peer] = Record(delay: delay, end: now + delay)
    }

    /// Records a successful pairing with the peer, which also resets the count of questions.
    package mutating func succeeded(_ peer: DeviceAddress) {
        records[peer] = nil
        questions = nil
    }

    /// Records that an incoming pairing, of any peer, has asked the user a question.
    package mutating func asked(now: Instant) {
        if questions?.last.isForgotten(at: now) == true { questions = nil }
        let count = (questions?.count ?? 0) + 1
        let delay: Duration =
            if count < Self.questionLimit {
                .zero
            } else if count == Self.questionLimit {
                Self.firstQuestionDelay
            } else {
                min((questions?.last.delay ?? .zero) * 2, Self.longestDelay)
            }
        questions = Questions(count: count, last: Record(delay: delay, end: now + delay))
    }

    /// Resets the count of questions. Call this when the user answers yes, enters a passkey, or
    /// permits pairings by peers.
    package mutating func allowQuestions() { questions = nil }

    /// Returns the remaining delay of the peer, or `nil` if it may pair.
    package func waitLeft(for peer: DeviceAddress, now: Instant) -> Duration? {
        records[peer].flatMap { Self.waitLeft(of: $0, now: now) }
    }

    /// Returns the remaining delay of incoming pairings, or `nil` if the next one may ask a
    /// question.
    package func questionWaitLeft(now: Instant) -> Duration? {
        questions.flatMap { Self.waitLeft(of: $0.last, now: now) }
    }

    private static func waitLeft(of record: Record, now: Instant) -> Duration? {
        record.end > now ? record.end - now : nil
    }

    private mutating func makeRoom() {
        guard let soonest = records.min(by: { $0.value.end < $1.value.end }) else { return }
        records[soonest.key] = nil
    }
}
