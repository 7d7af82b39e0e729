// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Testing

@Suite("Repeated pairing attempts")
struct RepeatedAttemptsTests {
    let peer = DeviceAddress(value: 1, kind: .public)
    let other = DeviceAddress(value: 1, kind: .random)

    @Test("A new peer need not wait") func newPeer() {
        #expect(RepeatedAttempts().waitLeft(for: peer, now: .zero) == nil)
    }

    @Test("The wait after a failure ends") func waitEnds() {
        var attempts = RepeatedAttempts()
        attempts.failed(peer, now: .zero)
        #expect(attempts.waitLeft(for: peer, now: .zero) == RepeatedAttempts.firstDelay)
        let half = Instant.zero + RepeatedAttempts.firstDelay / 2
        #expect(attempts.waitLeft(for: peer, now: half) == RepeatedAttempts.firstDelay / 2)
        let end = Instant.zero + RepeatedAttempts.firstDelay
        #expect(attempts.waitLeft(for: peer, now: end) == nil)
    }

    @Test("Each failure doubles the wait up to a limit") func doubledWait() {
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

    @Test("A success resets the wait") func success() {
        var attempts = RepeatedAttempts()
        attempts.failed(peer, now: .zero)
        attempts.failed(peer, now: .zero)
        attempts.succeeded(peer)
        #expect(attempts.waitLeft(for: peer, now: .zero) == nil)
        attempts.failed(peer, now: .zero)
        #expect(attempts.waitLeft(for: peer, now: .zero) == RepeatedAttempts.firstDelay)
    }

    @Test("The count of failures expires") func expiry() {
        var attempts = RepeatedAttempts()
        attempts.failed(peer, now: .zero)
        attempts.failed(peer, now: .zero)
        let later = Instant.zero + RepeatedAttempts.longestDelay + .seconds(10)
        attempts.failed(peer, now: later)
        #expect(attempts.waitLeft(for: peer, now: later) == RepeatedAttempts.firstDelay)
    }

    @Test("Each peer has its own wait") func separatePeers() {
        var attempts = RepeatedAttempts()
        attempts.failed(peer, now: .zero)
        #expect(attempts.waitLeft(for: other, now: .zero) == nil)
    }

    @Test("The table is limited and keeps the peers that have to wait longest")
    func limitedTable() {
        var attempts = RepeatedAttempts()
        for _ in 0..<5 { attempts.failed(peer, now: .zero) }
        for number in 0..<1000 {
            attempts.failed(DeviceAddress(value: UInt64(number), kind: .random), now: .zero)
            #expect(attempts.count <= RepeatedAttempts.peerLimit)
        }
        #expect(attempts.waitLeft(for: peer, now: .zero) == RepeatedAttempts.firstDelay * 16)
    }

    @Test("The wait after too many questions doubles, and ends with consent or with time")
    func questions() {
        var attempts = RepeatedAttempts()
        var now = Instant.zero
        for _ in 1..<RepeatedAttempts.questionLimit {
            attempts.asked(now: now)
            #expect(attempts.questionWaitLeft(now: now) == nil)
        }
        var expected = RepeatedAttempts.firstQuestionDelay
        for _ in 0..<10 {
            attempts.asked(now: now)
            #expect(attempts.questionWaitLeft(now: now) == expected)
            now = now + expected
            #expect(attempts.questionWaitLeft(now: now) == nil)
            expected = min(expected * 2, RepeatedAttempts.longestDelay)
        }
        #expect(expected == RepeatedAttempts.longestDelay)
        attempts.asked(now: now)
        attempts.allowQuestions()
        #expect(attempts.questionWaitLeft(now: now) == nil)
        for _ in 0..<RepeatedAttempts.questionLimit { attempts.asked(now: now) }
        attempts.succeeded(peer)
        #expect(attempts.questionWaitLeft(now: now) == nil)
        for _ in 0..<RepeatedAttempts.questionLimit { attempts.asked(now: now) }
        now = now + RepeatedAttempts.firstQuestionDelay + RepeatedAttempts.longestDelay
        attempts.asked(now: now)
        #expect(attempts.questionWaitLeft(now: now) == nil, "The earlier questions no longer count")
    }
}
