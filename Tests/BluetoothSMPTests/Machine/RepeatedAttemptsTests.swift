// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

@Suite struct RepeatedAttemptsTests {
    let peer = DeviceAddress(value: 1, kind: .public)
    let other = DeviceAddress(value: 1, kind: .random)

    @Test func nobodyWaitsAtFirst() {
        #expect(RepeatedAttempts().waitLeft(for: peer, now: .zero) == nil)
    }

    @Test func theWaitPasses() {
        var attempts = RepeatedAttempts()
        attempts.failed(peer, now: .zero)
        #expect(attempts.waitLeft(for: peer, now: .zero) == RepeatedAttempts.firstDelay)
        let half = Instant.zero + RepeatedAttempts.firstDelay / 2
        #expect(attempts.waitLeft(for: peer, now: half) == RepeatedAttempts.firstDelay / 2)
        let end = Instant.zero + RepeatedAttempts.firstDelay
        #expect(attempts.waitLeft(for: peer, now: end) == nil)
    }

    @Test func eachFailureDoublesItUpToABound() {
        var attempts = RepeatedAttempts()
        var now = Instant.zero
        var expected = RepeatedAttempts.firstDelay
        for _ in 0..<20 {
            attempts.failed(peer, now: now)
            #expect(attempts.waitLeft(for: peer, now: now) == expected)
            now = now + expected
            expected = min(expected * 2, RepeatedAttempts.longestDelay)
        }
        #expect(expected == RepeatedAttempts.longestDelay)
    }

    @Test func successForgives() {
        var attempts = RepeatedAttempts()
        attempts.failed(peer, now: .zero)
        attempts.failed(peer, now: .zero)
        attempts.succeeded(peer)
        #expect(attempts.waitLeft(for: peer, now: .zero) == nil)
        attempts.failed(peer, now: .zero)
        #expect(attempts.waitLeft(for: peer, now: .zero) == RepeatedAttempts.firstDelay)
    }

    @Test func timeForgives() {
        var attempts = RepeatedAttempts()
        attempts.failed(peer, now: .zero)
        attempts.failed(peer, now: .zero)
        let later = Instant.zero + RepeatedAttempts.longestDelay + .seconds(10)
        attempts.failed(peer, now: later)
        #expect(attempts.waitLeft(for: peer, now: later) == RepeatedAttempts.firstDelay)
    }

    @Test func peersWaitForThemselves() {
        var attempts = RepeatedAttempts()
        attempts.failed(peer, now: .zero)
        #expect(attempts.waitLeft(for: other, now: .zero) == nil)
    }

    @Test func theTableIsBoundedAndKeepsTheWorst() {
        var attempts = RepeatedAttempts()
        for _ in 0..<5 { attempts.failed(peer, now: .zero) }
        for number in 0..<1000 {
            attempts.failed(DeviceAddress(value: UInt64(number), kind: .random), now: .zero)
            #expect(attempts.count <= RepeatedAttempts.peerLimit)
        }
        #expect(attempts.waitLeft(for: peer, now: .zero) == RepeatedAttempts.firstDelay * 16)
    }
}
