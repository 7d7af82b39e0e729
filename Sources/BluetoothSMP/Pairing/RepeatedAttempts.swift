// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Makes whoever guesses wait (Vol 3, Part H, 2.3.6): after each failed pairing with a peer twice as
/// long as after the one before, until it succeeds, or has left us in peace for long.
///
/// A peer that changes its address is another peer to it. That helps nobody who guesses a passkey,
/// for each pairing has a new one; the delay keeps people from being asked again and again.
package struct RepeatedAttempts: Sendable {
    /// The wait after the first failure.
    package static let firstDelay = Duration.seconds(1)

    /// The longest wait there is. A peer that has not failed for as long after its wait is forgotten.
    package static let longestDelay = Duration.seconds(600)

    /// How many peers are remembered. A further one takes the place of the one that may pair soonest.
    package static let peerLimit = 64

    private struct Record: Sendable {
        var delay: Duration
        var end: Instant
    }

    private var records: [DeviceAddress: Record] = [:]

    package init() {}

    /// How many peers are remembered.
    package var count: Int { records.count }

    /// A pairing with the peer has failed, by what it did or what was done on its side.
    package mutating func failed(_ peer: DeviceAddress, now: Instant) {
        forget(now: now)
        let delay = records[peer].map { min($0.delay * 2, Self.longestDelay) } ?? Self.firstDelay
        if records[peer] == nil, records.count >= Self.peerLimit { makeRoom() }
        records[peer] = Record(delay: delay, end: now + delay)
    }

    /// A pairing with the peer has succeeded.
    package mutating func succeeded(_ peer: DeviceAddress) {
        records[peer] = nil
    }

    /// How long the peer has still to wait; nil if it may pair.
    package func waitLeft(for peer: DeviceAddress, now: Instant) -> Duration? {
        guard let record = records[peer], record.end > now else { return nil }
        return record.end - now
    }

    private mutating func forget(now: Instant) {
        records = records.filter { $0.value.end + Self.longestDelay > now }
    }

    private mutating func makeRoom() {
        guard let soonest = records.min(by: { $0.value.end < $1.value.end }) else { return }
        records[soonest.key] = nil
    }
}
